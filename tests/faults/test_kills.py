"""Kill writers in the middle of a change: nothing is lost, and nothing is half.

Left out: making the moments repeatable. The crash matrix visits each of them in order.
"""

from __future__ import annotations

import itertools
import os
import random
from pathlib import Path

import pytest

from memlab.clock import CourseClock
from memlab.memdir.places import INDEX
from tests.faults.disks import tree
from tests.faults.killing import DONE, STARTED, TIMES, until_killed
from tests.faults.scenes import FreeStore, assert_unbroken, assert_whole, memory, open_store
from tests.platforms import needs_fork


def change(number: int) -> tuple[str, str]:
    """Give a name, and what becomes of it in the change of a number; every seventh removes it."""
    body = f"all of {number} {'x' * (number * 97 % 2_000)}."
    return f"m{number % 5}", body if number % 7 != 6 else ""


@needs_fork
@pytest.mark.behaviour("A8")
@pytest.mark.parametrize("times", TIMES)
def test_a_killed_writer_loses_nothing_and_leaves_nothing_half(tmp_path: Path, times: int) -> None:
    chance, number, in_the_middle = random.Random(times), 0, 0
    store = open_store(tmp_path)

    def work(pipe: int) -> None:
        store = FreeStore(tmp_path, clock=CourseClock())
        for name, body in map(change, itertools.count(number)):
            os.write(pipe, STARTED)
            store.write(memory(name, body)) if body else store.remove(f"{name}.md")
            os.write(pipe, DONE)

    for _ in range(2 * times):
        said = until_killed(work, chance, 200)
        number += said.count(DONE)
        store = open_store(tmp_path)
        in_the_middle += said.endswith(STARTED)
        number += said.endswith(STARTED) and len(store.history()) > number
        wanted = {f"{name}.md": body for name, body in map(change, range(number))}
        files = tree(tmp_path).keys() - {INDEX}
        found = {name: store.read(name).body.strip() for name in files}
        assert found == {name: body for name, body in wanted.items() if body}
        assert_whole(tmp_path, store)
    assert len(store.history()) == number
    assert_unbroken(store)
    assert in_the_middle > times / 3, "the kills fell into the writing"
