"""The indexes that go with a change of memories.

Every change ends with ``settle``: each index whose memories change obeys its
rules again. What a line says comes from the header as it will be; for an undo,
from the index as it was before the change that is taken back. Nothing is
written here.
"""

from __future__ import annotations

from collections.abc import Mapping

from memlab.memdir.checks import memory_in
from memlab.memdir.folder import Folder
from memlab.memdir.index import Pointer, Settled, pointer_to, settle
from memlab.memdir.places import INDEX, INDEXES
from memlab.memdir.rules import Finding
from memlab.memdir.scan import LARGEST
from memlab.memdir.secrets import find_secrets
from memlab.settings import Settings

Contents = Mapping[str, bytes | None]
_SET_RIGHT = {
    "double": "a second pointer to one memory was left out",
    "dead": "a pointer to a file that does not exist was left out",
    "added": "its pointer was put back: the memory still exists",
}


def followed(
    index: str,
    text: str,
    folder: Folder,
    before: Contents,
    new: Contents,
    others: Mapping[str, int],
    lines: Mapping[str, Pointer],
    known: dict[str, tuple[int, Pointer | None]],
    *,
    by_model: bool,
    settings: Settings,
) -> Settled:
    """Settle an index for a change from the contents ``before`` to ``new``.

    ``others`` has the times of all memories, newest first. ``lines`` has
    pointers that come back as they were. ``known`` has, by name, pointers that
    were made before, with the time of their file.
    """
    below = index.removesuffix(INDEX)

    def made(file: str) -> Pointer | None:
        name = below + file
        if name in new:
            return lines.get(file) or _pointer(file, new[name])
        time, pointer = known.get(name, (-1, None))
        if time != others[name]:
            pointer = _pointer(file, folder.read(name, LARGEST + 1).data)
            known[name] = others[name], pointer
        return pointer

    was: dict[str, Pointer] = {}
    for name, data in before.items():
        file = name.removeprefix(below)
        pointer = (
            None if name in INDEXES or data is None else _pointer(file, data)
        )
        if pointer is not None:
            was[file] = pointer
    written = [
        one for one in new if one not in INDEXES and new[one] is not None
    ]
    names = [*written, *(one for one in others if one not in new)]
    there = [one.removeprefix(below) for one in names if one.startswith(below)]
    return settle(
        text, there, made, was=was, by_model=by_model, settings=settings
    )


def joined(one: Settled, two: Settled, below: str) -> Settled:
    """Add to what is settled that of a further index, in a folder."""
    parts = zip(one[1:], two[1:], strict=True)
    files = ((*a, *(below + file for file in b)) for a, b in parts)
    return Settled(one.text or two.text, *files)


def said_of(
    settled: Settled, index: str, new: Contents, edited: bool
) -> list[Finding]:
    """Say what was set right in an index that was edited, and which memories
    have no line because a new one has come.
    """
    below = index.removesuffix(INDEX)
    findings = []
    for kind, what in _SET_RIGHT.items() if edited else ():
        for file in getattr(settled, kind):
            findings.append(Finding("index", "flag", f"{below}{file}: {what}"))
    comes = any(below + file in new for file in settled.added)
    if settled.unlisted and comes:
        notice = not_in_index_notice(len(settled.unlisted))
        findings.append(Finding("index", "flag", notice))
    return findings


def not_in_index_notice(count: int) -> str:
    """Say how many memories the index has no room for."""
    memories = "1 memory is" if count == 1 else f"{count:,} memories are"
    return (
        f"{memories} not in the index, because it is full. The files are still there,"
        " and recall searches them."
    )


def _pointer(file: str, data: bytes | None) -> Pointer | None:
    """Make the pointer of a memory; None if there is a secret in its header,
    which a hand wrote and which is in no prompt yet.
    """
    memory = memory_in(data)
    name, hook = (memory.name, memory.description) if memory else ("", "")
    return (
        None
        if find_secrets(f"{name}: {hook}")
        else pointer_to(file, name, hook)
    )
