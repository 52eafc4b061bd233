"""Kill writers in the middle of a change, and let several write at once: nothing is lost or half.

Left out: making the moments repeatable. The crash matrix visits each of them in order.
"""

from __future__ import annotations

import itertools
import os
import random
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from memlab.clock import CourseClock
from memlab.errors import MemlabError
from memlab.memdir.places import INDEX
from memlab.memdir.store import MemoryStore
from tests.faults import scenes
from tests.faults.disks import tree
from tests.faults.killing import DONE, STARTED, TIMES, child, until_killed
from tests.platforms import needs_fork

pytestmark = [needs_fork, pytest.mark.parametrize("times", TIMES)]


def changes(count: int, store: MemoryStore | None = None) -> dict[str, str]:
    """Give the memories, by name, after so many changes; make the last one in a store."""
    model: dict[str, str] = {}
    for number in range(count):
        name, body = f"m{number % 5}", f"all of {number} " * (number * 97 % 2_000)
        is_last = store is not None and number == count - 1
        if number % 7 == 6:
            del model[name]
        else:
            model[name] = f"\n{body}\n"
        if store and is_last and number % 7 == 6:
            store.remove(f"{name}.md")
        elif store and is_last:
            store.write(scenes.memory(name, body, f"now {number}"))
    return model


@pytest.mark.behaviour("A8")
def test_a_killed_writer_loses_nothing_and_leaves_nothing_half(tmp_path: Path, times: int) -> None:
    chance, directory = random.Random(times), tmp_path / "memory"
    number, in_the_middle = 0, 0
    store = scenes.open_store(directory)

    def work(pipe: int) -> None:
        store = scenes.FreeStore(directory, clock=CourseClock())
        for count in itertools.count(number + 1):
            os.write(pipe, STARTED)
            changes(count, store)
            os.write(pipe, DONE)

    for _ in range(2 * times):
        said = until_killed(work, chance, 200)
        number += said.count(DONE)
        store = scenes.open_store(directory)
        names = [name for name in tree(directory) if name != INDEX]
        bodies = {name.removesuffix(".md"): store.read(name).body for name in names}
        in_the_middle += said.endswith(STARTED)
        number += said.endswith(STARTED) and len(store.history()) > number
        assert bodies == changes(number)
        scenes.assert_whole(directory, store)
    assert len(store.history()) == number
    scenes.assert_unbroken(store)
    assert in_the_middle > times / 3, "the kills fell into the writing"


@pytest.mark.behaviour("H5")
def test_a_folder_that_is_swapped_for_a_link_leads_nothing_outside(
    tmp_path: Path, times: int
) -> None:
    """Another process moves ``team`` aside and back, with a link in its place meanwhile."""
    store = scenes.FreeStore(tmp_path / "memory", durable=False)
    team, outside = store.directory / "team", tmp_path / "outside"
    outside.mkdir()
    team.mkdir(parents=True)
    (outside / "tabs.md").write_bytes(b"theirs\n")

    def swap() -> None:
        while True:
            with suppress(OSError):
                team.rename(tmp_path / "aside")
                team.symlink_to(outside)
                time.sleep(0.0005)
                team.unlink()
                (tmp_path / "aside").rename(team)
                time.sleep(0.003)

    pid, written, refused = child(swap), 0, 0
    try:
        while min(written, refused) < 3 or written + refused < 30 * times:
            try:
                store.folder.write("team/tabs.md", b"%d" % written, 0)
                written += 1
                store.write_text("team/tabs.md", f"---\nname: Tabs\n---\n{written}\n")
                written += 1
            except (OSError, MemlabError):
                refused += 1
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    assert {one.name: one.read_bytes() for one in outside.iterdir()} == {"tabs.md": b"theirs\n"}
