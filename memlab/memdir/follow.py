"""What goes with settling an index: the pointer of a memory, and what is said
of a settled index to whoever made the change.
"""

from __future__ import annotations

from collections.abc import Mapping

from memlab.evidence.sentences import as_memory
from memlab.memdir.index import Pointer, Settled, pointer_to
from memlab.memdir.memory import Memory
from memlab.memdir.places import INDEX, INDEXES
from memlab.memdir.rules import Finding
from memlab.memdir.secrets import find_secrets

Contents = Mapping[str, bytes | None]
NOTHING = Settled("", (), (), (), (), ())
_SET_RIGHT = {
    "double": "a second pointer to one memory was left out",
    "dead": "a pointer to a file that does not exist was left out",
    "added": "its pointer was put back: the memory still exists",
}


def joined(one: Settled, two: Settled, index: str) -> Settled:
    """Add to what is settled that of a further index."""
    below = index.removesuffix(INDEX)
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


def pointer_of(file: str, memory: Memory | None) -> Pointer | None:
    """Make the pointer of a memory; None if there is a secret in its header,
    which a hand wrote and which is in no prompt yet.
    """
    name, hook = (memory.name, memory.description) if memory else ("", "")
    if find_secrets(f"{name}: {hook}"):
        return None
    return pointer_to(file, name, hook)


def pointers_of(known: Contents, index: str) -> dict[str, Pointer]:
    """Make the pointers, in an index, of memories with these contents."""
    below = index.removesuffix(INDEX)
    found = {}
    for name, data in known.items():
        file = name.removeprefix(below)
        memory = None if name in INDEXES else as_memory(data)
        pointer = pointer_of(file, memory) if memory else None
        if pointer and name.startswith(below):
            found[file] = pointer
    return found
