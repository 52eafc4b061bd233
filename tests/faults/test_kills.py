"""Kill writers in the middle of a change, and swap folders under them: nothing is lost or half.

Left out: making the moments repeatable. The crash matrix visits each of them in order.
"""

from __future__ import annotations

import itertools
import os
import random
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from memlab.clock import CourseClock
from memlab.errors import MemlabError
from memlab.memdir.places import INDEX
from tests.faults.disks import tree
from tests.faults.killing import DONE, STARTED, TIMES, child, until_killed
from tests.faults.scenes import FreeStore, assert_unbroken, assert_whole, memory, open_store
from tests.platforms import needs_fork

pytestmark = [needs_fork, pytest.mark.parametrize("times", TIMES)]


def change(number: int) -> tuple[str, str]:
    """Give a name, and what becomes of it in the change of a number; every seventh removes it."""
    body = f"all of {number} {'x' * (number * 97 % 2_000)}."
    return f"m{number % 5}", body if number % 7 != 6 else ""


@pytest.mark.behaviour("A8")
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


@pytest.mark.behaviour("H5")
def test_a_folder_that_is_swapped_for_a_link_leads_nothing_outside(
    tmp_path: Path, times: int
) -> None:
    """Another process moves ``team`` aside and back, with a link in its place meanwhile."""
    store = FreeStore(tmp_path / "memory", durable=False)
    team, outside = store.directory / "team", tmp_path / "outside"
    outside.mkdir()
    team.mkdir(parents=True)
    (outside / "tabs.md").write_bytes(b"theirs\n")

    def swap() -> None:
        while True:
            with suppress(OSError):
                team.rename(tmp_path / "aside")
                team.symlink_to(outside)
                os.sched_yield()
                team.unlink()
                (tmp_path / "aside").rename(team)
                sum(range(100_000))

    pid, written, refused = child(swap), 0, 0
    try:
        while min(written, refused) < 3 or written + refused < 30 * times:
            try:
                store.folder.write("team/tabs.md", b"%d" % written, 0)
                store.write_text("team/tabs.md", f"---\nname: Tabs\n---\n{written}\n")
                written += 1
            except (OSError, MemlabError):
                refused += 1
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    assert {one.name: one.read_bytes() for one in outside.iterdir()} == {"tabs.md": b"theirs\n"}
