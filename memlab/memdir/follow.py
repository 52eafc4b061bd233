"""The indexes that go with a change of memories.

Every change ends with ``settle``: each index whose memories change obeys its
rules again. What a line says comes from the header as it will be; for an undo,
from the index as it was before the change that is taken back. Nothing is
written here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from memlab.memdir.checks import memory_in
from memlab.memdir.index import Pointer, Settled, pointer_to, settle
from memlab.memdir.memory import Memory
from memlab.memdir.places import INDEX, INDEXES
from memlab.memdir.rules import Finding
from memlab.memdir.secrets import find_secrets
from memlab.settings import Settings

Contents = Mapping[str, bytes | None]
NOTHING = Settled("", (), (), (), (), ())
_SET_RIGHT = {
    "double": "a second pointer to one memory was left out",
    "dead": "a pointer to a file that does not exist was left out",
    "added": "its pointer was put back: the memory still exists",
}


def followed(
    index: str,
    text: str,
    before: Contents,
    new: Contents,
    others: Sequence[str],
    memory_of: Callable[[str], Memory | None],
    lines: Mapping[str, Pointer],
    *,
    by_model: bool,
    settings: Settings,
) -> Settled:
    """Settle an index for a change from the contents ``before`` to ``new``.

    ``others`` are the memories of the directory, newest first, and
    ``memory_of`` reads one. ``lines`` has pointers that come back as they
    were.
    """
    below = index.removesuffix(INDEX)

    def made(file: str) -> Pointer | None:
        name = below + file
        if name not in new:
            return _pointer(file, memory_of(name))
        return lines.get(file) or _pointer(file, memory_in(new[name]))

    was: dict[str, Pointer] = {}
    for name, data in before.items():
        memory = None if name in INDEXES else memory_in(data)
        file = name.removeprefix(below)
        pointer = _pointer(file, memory) if memory else None
        if pointer and name.startswith(below):
            was[file] = pointer
    written = [one for one in new if new[one] is not None]
    names = [*written, *(one for one in others if one not in new)]
    there = [
        one.removeprefix(below)
        for one in names
        if one.startswith(below) and one not in INDEXES
    ]
    return settle(
        text, there, made, was=was, by_model=by_model, settings=settings
    )


def joined(one: Settled, two: Settled, below: str) -> Settled:
    """Add to what is settled that of a further index, in a folder."""
    parts = zip(one[1:], two[1:], strict=True)
    files = ((*a, *(below + file for file in b)) for a, b in parts)
    return Settled(one.text or two.text, *files)


def said_of(settled: Settled, new: Contents, edited: bool) -> list[Finding]:
    """Say what was set right in an index that a model has ``edited``, and
    which memories have no line because a new one has come.
    """
    findings = []
    for kind, what in _SET_RIGHT.items() if edited else ():
        for file in getattr(settled, kind):
            findings.append(Finding("index", "flag", f"{file}: {what}"))
    if settled.unlisted and new.keys() & {*settled.added}:
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


def _pointer(file: str, memory: Memory | None) -> Pointer | None:
    """Make the pointer of a memory; None if there is a secret in its header,
    which a hand wrote and which is in no prompt yet.
    """
    name, hook = (memory.name, memory.description) if memory else ("", "")
    if find_secrets(f"{name}: {hook}"):
        return None
    return pointer_to(file, name, hook)
