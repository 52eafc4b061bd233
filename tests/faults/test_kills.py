"""Kill writers at random moments, and let several write at once: nothing lost, nothing half.

Left out: making the moments repeatable. The crash matrix visits each of them in order.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memlab.clock import CourseClock
from memlab.memdir.index import parse_pointers
from memlab.memdir.places import INDEX
from memlab.memdir.store import MemoryStore
from tests.faults import scenes
from tests.faults.disks import tree
from tests.platforms import needs_fork

ROOT = Path(__file__).resolve().parents[2]
STARTED, DONE = b"s", b"d"
Model = dict[str, str]


@pytest.fixture
def disk() -> Iterator[Path]:
    """Give room on a real disk: there a writer spends its time waiting for it, and is killed so."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def step(model: Model, number: int, store: MemoryStore | None = None) -> None:
    """Do the change of this number to a model of a directory, and to the directory."""
    chance = random.Random(number)
    names = sorted(model)
    kind = chance.choice(["write", "edit", "edit", "remove"]) if len(names) > 3 else "write"
    name = chance.choice(names) if kind != "write" else f"m{number}"
    body = "\n" + f"all of {number} " * chance.randrange(1, 2_000) + "\n"
    if store and kind == "remove":
        store.remove(f"{name}.md")
    elif store and kind == "edit":
        store.write(replace(store.read(f"{name}.md"), body=body, description=f"now {number}"))
    elif store:
        store.write(scenes.memory(name, body[1:-1], description=f"now {number}"))
    if kind == "remove":
        del model[name]
    else:
        model[name] = body


def until_killed(work: Callable[[int], None], chance: random.Random) -> bytes:
    """Let a child work, kill it at a random moment, and give what it said it had done."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            work(write_end)
        finally:
            os._exit(1)
    os.close(write_end)
    said = b""
    for _ in range(chance.randrange(8)):
        said += os.read(read_end, 1)
    end = time.perf_counter() + chance.random() * 0.05
    while time.perf_counter() < end:
        pass
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while more := os.read(read_end, 4_096):
        said += more
    os.close(read_end)
    return said


@pytest.mark.behaviour("A8")
@needs_fork
@pytest.mark.parametrize("kills", [30, pytest.param(200, marks=pytest.mark.slow)])
def test_a_killed_writer_loses_nothing_and_leaves_nothing_half(disk: Path, kills: int) -> None:
    chance = random.Random(kills)
    directory, model, number, in_the_middle = disk / "memory", Model(), 0, 0
    seen: set[bytes] = set()

    def work(pipe: int) -> None:
        store, mine = scenes.FreeStore(directory, clock=CourseClock()), dict(model)
        for count in range(number, number + 1_000):
            os.write(pipe, STARTED)
            step(mine, count, store)
            os.write(pipe, DONE)

    for _ in range(kills):
        said = until_killed(work, chance)
        for _ in range(said.count(DONE)):
            step(model, number)
            number += 1
        store = scenes.open_store(directory)
        if said.endswith(STARTED):
            in_the_middle += 1
            further = dict(model)
            step(further, number)
            if bodies(directory) == further:
                model, number = further, number + 1
        assert bodies(directory) == model
        if (directory / ".memlab").exists() and number:
            scenes.assert_whole(directory, store)
            seen |= {data for data, _ in tree(directory).values()}
    contents = {store.content(sha) for entry in store.history() for sha in entry.hashes}
    assert seen <= contents, "whatever was ever there can be had again"
    assert len(store.history()) == number
    assert in_the_middle > kills / 6, "the kills fell into the writing"


@needs_fork
def test_the_same_kills_show_naive_writing_leaving_halves(space: Path) -> None:
    path = space / "tabs.md"
    whole = [b"%d " % number * 200_000 for number in range(2)]

    def work(pipe: int) -> None:
        for number in range(1_000):
            os.write(pipe, STARTED)
            path.write_bytes(whole[number % 2])
            os.write(pipe, DONE)

    chance = random.Random(1)
    left: list[bytes] = []
    while not left or left[-1] in whole:
        assert len(left) < 300, "no kill fell into a write"
        until_killed(work, chance)
        left.append(path.read_bytes() if path.exists() else whole[0])


WRITER = """
import sys
from tests.faults import scenes
store = scenes.FreeStore(sys.argv[1], writer=sys.argv[2])
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(sys.argv[3])):
    store.write(scenes.memory(f"{sys.argv[2]} {number}", "kept"), session=sys.argv[2])
"""


@pytest.mark.parametrize("each", [40, pytest.param(200, marks=pytest.mark.soak)])
def test_two_processes_write_into_one_directory(space: Path, each: int) -> None:
    directory = space / "memory"
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(directory), who, str(each)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for who in ("anna", "boris")
    ]
    for writer in writers:
        assert writer.stdout
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate(timeout=240)
        assert writer.returncode == 0
    names = {f"{who}-{number}.md" for who in ("anna", "boris") for number in range(each)}
    assert_in_order(directory, names)
    wrote = [entry.who for entry in scenes.open_store(directory).history()]
    assert (wrote.count("anna"), wrote.count("boris")) == (each, each)


def test_threads_share_one_store(space: Path) -> None:
    store = scenes.FreeStore(space / "memory")

    def write(who: int) -> None:
        for number in range(10):
            store.write(scenes.memory(f"{who} {number}", "kept"))

    threads = [threading.Thread(target=write, args=(who,)) for who in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    names = {f"{who}-{number}.md" for who in range(4) for number in range(10)}
    assert_in_order(store.directory, names)


def bodies(directory: Path) -> Model:
    """Read back what ``step`` has written, by name."""
    names = [name for name in tree(directory) if name != INDEX]
    store = scenes.open_store(directory)
    return {name.removesuffix(".md"): store.read(name).body for name in names}


def assert_in_order(directory: Path, names: set[str]) -> None:
    store = scenes.open_store(directory)
    scenes.assert_whole(directory, store)
    assert set(tree(directory)) == names | {INDEX}
    pointers = parse_pointers((directory / INDEX).read_text(encoding="utf-8"))
    assert len(pointers) == len(names)
    history = store.history()
    assert [entry.id for entry in history] == [f"change-{n:04d}" for n in range(1, len(names) + 1)]
    index = ""
    for entry, pointer in zip(history, reversed(pointers), strict=True):
        change = entry.change_of(INDEX)
        assert change
        assert change.before == index, "each change starts where the one before it ended"
        assert entry.change_of(pointer.file), "and the newest pointer is on top"
        index = change.after
