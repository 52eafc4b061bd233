"""What a memory says, cut into sentences, and whether a sentence is found again elsewhere.

A sentence counts as found where one text has most of its words and all of its numbers. Left out,
since code cannot tell: whether those words mean the same there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from pathlib import Path

from memlab.errors import MemoryFormatError
from memlab.memdir.dates import find_relative_times
from memlab.memdir.memory import Memory, parse_memory
from memlab.text import fold_space, words

STANDS = 0.7
_ANY_DAY = datetime(2000, 1, 3, tzinfo=UTC)
_SMALL = set(
    words("""a an and are as at be been by each every for from had has have how if in into is it its
    of on or so such that the their them then there these they this to too was were what when where
    which who why will with you your apply""")
)


def content(text: str) -> set[str]:
    """Give the words of a text without the small ones."""
    return set(words(text)) - _SMALL


def share(wanted: Collection[str], had: Collection[str]) -> float:
    """Give the part of the wanted words that is had; of no words, all."""
    return sum(word in had for word in wanted) / len(wanted) if wanted else 1.0


def stands(sentence: str, had: set[str]) -> bool:
    """Tell whether most of a sentence's words are had, and each of its numbers."""
    wanted = content(sentence)
    return _has_most(wanted, _numbers(wanted), had)


def _numbers(wanted: set[str]) -> set[str]:
    return {word for word in wanted if re.match(r"\d\d", word)}


def _has_most(wanted: set[str], numbers: set[str], had: set[str]) -> bool:
    enough = not wanted or len(wanted & had) / len(wanted) >= STANDS
    return enough and numbers <= had


def says(data: bytes) -> str:
    """Give a memory's body and description; of what is no memory, all."""
    memory = as_memory("", data)
    return f"{memory.body}\n{memory.description}" if memory else text_of(data)


def sentences(data: bytes) -> list[str]:
    """Cut what a memory says into sentences; a single word is one only where there are no others.

    Relative times are left out: writing a date in their place loses nothing.
    """
    text = says(data)
    for time in reversed(find_relative_times(text, _ANY_DAY)):
        text = text[: time.offset] + text[time.offset + len(time.words) :]
    parts = map(fold_space, re.split(r"(?<=[.!?;])\s+|\n\s*", text))
    told = list(dict.fromkeys(part for part in parts if len(content(part)) > 1))
    return told or [fold_space(text)] * bool(content(text))


class Places:
    """The words of several texts, with an index, so that a sentence is not looked for in each."""

    def __init__(self, texts: Iterable[set[str]]) -> None:
        self._texts = list(texts)
        self._with_word: dict[str, list[int]] = {}
        for number, had in enumerate(self._texts):
            for word in had:
                self._with_word.setdefault(word, []).append(number)

    def have(self, sentence: str) -> bool:
        """Tell whether a sentence is found in one of the texts, as ``stands`` judges it.

        A text that has most of the words has at least one of the rarest: so many of them that too
        few words are left for a text without any.
        """
        wanted = content(sentence)
        if not wanted:
            return bool(self._texts)
        too_few = math.ceil(STANDS * len(wanted) - 1e-9) - 1
        by_rarity = sorted(wanted, key=lambda word: len(self._with_word.get(word, ())))
        rarest = by_rarity[: len(wanted) - too_few]
        candidates = {number for word in rarest for number in self._with_word.get(word, ())}
        numbers = _numbers(wanted)
        return any(_has_most(wanted, numbers, self._texts[number]) for number in candidates)


def lost_of(said: Iterable[str], own: set[str], places: Places) -> tuple[float, tuple[str, ...]]:
    """Give the share of some sentences' words that is found again, and the sentences that are not.

    ``own`` has the words of the file they come from, as it is now.
    """
    sizes = {sentence: len(content(sentence)) for sentence in said}
    lost = tuple(
        sentence for sentence in sizes if not stands(sentence, own) and not places.have(sentence)
    )
    whole = sum(sizes.values())
    return (1 - sum(sizes[one] for one in lost) / whole if whole else 1.0), lost


def as_memory(name: str, data: bytes) -> Memory | None:
    """Read a memory; None for what is none."""
    try:
        return parse_memory(data, path=Path(name))
    except MemoryFormatError:
        return None


def text_of(data: bytes) -> str:
    """Read bytes as text, whatever they are."""
    return data.decode("utf-8", "replace")


def lines_of(data: bytes) -> set[str]:
    """Give the lines of a text, white space folded, without the empty ones."""
    return {fold_space(line) for line in text_of(data).splitlines()} - {""}
