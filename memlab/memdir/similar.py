"""An index of memories that finds the most similar ones without comparing each
with each.

For every word it keeps the set of memories that hold the word, as an integer
with one bit per memory. Adding these integers column by column counts, for all
memories at once, how many words each shares with a given one. The counts are
exact, so what is found is what ``rules.duplicates`` would find among all
memories, and the cost does not depend on how similar the memories are.

The decision is made in ``rules.duplicates``, on the memories that are found
here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import overload

from memlab.memdir.memory import Memory
from memlab.memdir.rules import FEW, LIKE, contents

# a word of more memories is kept as an integer, a rarer one as a set of places
MANY = 16


class OtherMemories(Sequence[Memory]):
    """The other memories of a directory, of which the most similar ones can be
    asked for.

    ``everything`` lists them and is called only when somebody goes through the
    sequence; ``search`` finds those that share most with a memory.
    """

    def __init__(
        self,
        everything: Callable[[], Sequence[Memory]],
        search: Callable[[Memory], Sequence[Memory]],
    ) -> None:
        self._everything = everything
        self._search = search

    def most_similar(self, memory: Memory) -> Sequence[Memory]:
        """Give the memories among which the most similar one is, in the order
        of the sequence.
        """
        return self._search(memory)

    @overload
    def __getitem__(self, place: int) -> Memory: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Memory]: ...
    def __getitem__(self, place: int | slice) -> Memory | Sequence[Memory]:
        return self._everything()[place]

    def __len__(self) -> int:
        return len(self._everything())


class SimilarMemories:
    """Memories, each at a place (a small number), and the words by which they
    are found.
    """

    def __init__(self) -> None:
        # the whole memory, and its description
        self._kinds = (_WordSets(), _WordSets())
        self._names: defaultdict[str, int] = defaultdict(int)
        self._usable = 0

    def add(
        self, place: int, memory: Memory, *, name: str | None = None
    ) -> None:
        """Put a memory at a place that is free, under its own name or another
        one.

        A tombstone is never similar to anything.
        """
        for kind, terms in zip(self._kinds, contents(memory), strict=True):
            kind.add(place, terms)
        self._names[memory.name if name is None else name] |= 1 << place
        if not memory.is_tombstone:
            self._usable |= 1 << place

    def remove(self, place: int, memory: Memory) -> None:
        """Take out the memory that was added at a place."""
        for kind, terms in zip(self._kinds, contents(memory), strict=True):
            kind.remove(place, terms)
        self._names[memory.name] &= ~(1 << place)
        self._usable &= ~(1 << place)

    def most_similar(
        self,
        memory: Memory,
        *,
        after: int = -1,
        without: Iterable[int] = (),
        named: bool = False,
    ) -> list[int]:
        """Give the places of the memories that share most with one, at least
        as much as ``LIKE``.

        All of them share equally much. Memories of the same name are other
        versions of it and do not count; with ``named`` only they do. Places up
        to ``after`` and those in ``without`` do not count either.
        """
        same_name = self._names.get(memory.name, 0)
        among = self._usable & (same_name if named else ~same_name)
        among &= -1 << (after + 1)
        for place in without:
            among &= ~(1 << place)
        most, winners = LIKE, 0
        for kind, terms in zip(self._kinds, contents(memory), strict=True):
            for share, places in kind.shares(terms, among):
                if share > most:
                    most, winners = share, places
                elif share == most:
                    winners |= places
        return list(_places(winners))


class _WordSets:
    """Sets of words at places; it counts for all of them at once what they
    share with another.
    """

    def __init__(self) -> None:
        self._rare: dict[str, set[int]] = {}
        self._frequent: dict[str, int] = {}
        self._sizes: defaultdict[int, int] = defaultdict(int)

    def add(self, place: int, terms: Collection[str]) -> None:
        self._sizes[len(terms)] |= 1 << place
        for word in terms:
            if word in self._frequent:
                self._frequent[word] |= 1 << place
                continue
            places = self._rare.setdefault(word, set())
            places.add(place)
            if len(places) > MANY:
                self._frequent[word] = _bits(self._rare.pop(word))

    def remove(self, place: int, terms: Collection[str]) -> None:
        self._sizes[len(terms)] &= ~(1 << place)
        for word in terms:
            if word in self._frequent:
                self._frequent[word] &= ~(1 << place)
            else:
                self._rare[word].discard(place)
                if not self._rare[word]:
                    del self._rare[word]

    def shares(
        self, terms: Collection[str], among: int
    ) -> Iterator[tuple[float, int]]:
        """Give for each size of set the largest share, and the places of those
        that have it.
        """
        holders = []
        for word in terms:
            places = self._frequent.get(word, 0) or _bits(
                self._rare.get(word, ())
            )
            if places & among:
                holders.append(places & among)
        columns = _counts(holders)
        if not columns:
            return
        larger = among
        for size in sorted(size for size in self._sizes if size < len(terms)):
            places = self._sizes[size] & among
            larger &= ~places
            if places:
                most, winners = _largest(columns, places)
                yield most / max(size, FEW), winners
        if larger:
            most, winners = _largest(columns, larger)
            yield most / max(len(terms), FEW), winners


def _counts(holders: list[int]) -> list[int]:
    """Count for each bit in how many numbers it is set; the counts are binary,
    lowest digit first.

    Three numbers become two, a sum and a carry, as in an adder of a processor.
    """
    digits = []
    while holders:
        total = holders[0]
        carries = []
        for at in range(1, len(holders), 2):
            one = holders[at]
            other = holders[at + 1] if at + 1 < len(holders) else 0
            half = total ^ one
            carry = (total & one) | (half & other)
            total = half ^ other
            if carry:
                carries.append(carry)
        digits.append(total)
        holders = carries
    return digits


def _largest(digits: list[int], among: int) -> tuple[int, int]:
    """Give the largest count among some bits, and the bits that have it."""
    most = 0
    for digit in reversed(digits):
        most *= 2
        if among & digit:
            among &= digit
            most += 1
    return most, among


def _bits(places: Iterable[int]) -> int:
    bits = 0
    for place in places:
        bits |= 1 << place
    return bits


def _places(bits: int) -> Iterator[int]:
    """Give the places of the bits that are set, lowest first."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
