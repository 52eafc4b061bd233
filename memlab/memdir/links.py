"""The links between memories: ``[[name]]`` in a body, and the file it means.

A link names a memory by its title, or by its file with or without ``.md`` or
the folder. What stands behind ``|`` or ``#`` is for the reader and says
nothing about the file. A link to nothing is not an error: the memory may be
written one day.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memlab.memdir.memory import Memory
from memlab.memdir.names import slug


@dataclass(frozen=True)
class Link:
    """A link in the memory ``source``; ``target`` is the file it means, "" if
    there is none.
    """

    source: str
    name: str
    target: str


class LinkTargets:
    """The memories that a link can mean, given as pairs of file and title.

    A file beats a title, and an exact title beats one that is only spelled
    like it.
    """

    def __init__(self, memories: Iterable[tuple[str, str]]) -> None:
        known = list(memories)
        self._files: dict[str, str] = {}
        for file, _ in known:
            self._files.setdefault(file.removesuffix(".md"), file)
        for file, _ in known:
            stem = file.rpartition("/")[2].removesuffix(".md")
            self._files.setdefault(stem, file)
        for file, title in known:
            self._files.setdefault(title, file)
        self._slugs: dict[str, str] = {}
        for name, file in self._files.items():
            self._slugs.setdefault(slug(name), file)

    def find(self, name: str) -> str:
        """Give the file that a link means; "" if there is none."""
        bare = name.partition("|")[0].partition("#")[0].strip()
        bare = bare.removesuffix(".md")
        if not bare:
            return ""
        return self._files.get(bare) or self._slugs.get(slug(bare), "")

    def links(self, file: str, memory: Memory) -> Iterator[Link]:
        """Give the links of a memory to others, in their order."""
        for name in memory.links:
            target = self.find(name)
            if target != file:
                yield Link(file, name, target)
