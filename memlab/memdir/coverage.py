"""Whether what one text says is found again in others, and whether a sentence
denies an older one.

A sentence counts as covered where one text has most of its words and all of
its numbers. A sentence reverses an older one about the same matter if a word
is affirmed in one and denied in the other: ``polarity`` signs each word of a
sentence by the negations around it, in English, with the most frequent
negations of German, French and Spanish. Code cannot tell whether the same
words mean the same thing elsewhere.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from memlab.errors import MemoryFormatError
from memlab.memdir.dates import find_relative_times
from memlab.memdir.memory import Memory, parse_memory
from memlab.settings import Settings
from memlab.text import (
    FUNCTION_WORDS,
    content_words,
    fold_space,
    stem,
    unwrap,
    words,
)

COVERED = Settings.covered_share
_ANY_DAY = datetime(2000, 1, 3, tzinfo=UTC)


def share(wanted: Collection[str], had: Collection[str]) -> float:
    """Give the part of the wanted words that is had; of no words, all."""
    return sum(word in had for word in wanted) / len(wanted) if wanted else 1.0


def is_covered(sentence: str, had: Set[str]) -> bool:
    """Tell whether a text has most of a sentence's words, and all of its
    numbers.
    """
    wanted = content_words(sentence)
    return _has_most(wanted, _numbers(wanted), had)


def _numbers(wanted: Set[str]) -> Set[str]:
    return {word for word in wanted if re.match(r"\d\d", word)}


def _has_most(wanted: Set[str], numbers: Set[str], had: Set[str]) -> bool:
    enough = not wanted or len(wanted & had) / len(wanted) >= COVERED
    return enough and numbers <= had


def memory_text(data: bytes) -> str:
    """Give a memory's body and description; of what is no memory, all."""
    memory = as_memory("", data)
    return f"{memory.body}\n{memory.description}" if memory else text_of(data)


def sentences(data: bytes) -> list[str]:
    """Cut what a memory says into sentences; a single word is one only where
    there are no others.

    Relative times are left out: writing a date in their place loses nothing.
    """
    text = unwrap(memory_text(data))
    for time in reversed(find_relative_times(text, _ANY_DAY)):
        text = text[: time.offset] + text[time.offset + len(time.words) :]
    parts = map(fold_space, re.split(r"(?<=[.!?;])\s+|\n\s*", text))
    found = list(
        dict.fromkeys(part for part in parts if len(content_words(part)) > 1)
    )
    return found or [fold_space(text)] * bool(content_words(text))


class CoveringTexts:
    """The words of several texts, with an index, so that a sentence is not
    looked for in each.
    """

    def __init__(self, texts: Iterable[Set[str]]) -> None:
        self._texts = list(texts)
        self._with_word: dict[str, list[int]] = {}
        for number, had in enumerate(self._texts):
            for word in had:
                self._with_word.setdefault(word, []).append(number)

    def cover(self, sentence: str) -> bool:
        """Tell whether a sentence is found in one of the texts, as
        ``is_covered`` judges it.

        A text that has most of the words has at least one of the rarest: so
        many of them that too few words are left for a text without any.
        """
        wanted = content_words(sentence)
        if not wanted:
            return bool(self._texts)
        too_few = math.ceil(COVERED * len(wanted) - 1e-9) - 1
        by_rarity = sorted(
            wanted, key=lambda word: len(self._with_word.get(word, ()))
        )
        rarest = by_rarity[: len(wanted) - too_few]
        candidates = {
            number
            for word in rarest
            for number in self._with_word.get(word, ())
        }
        numbers = _numbers(wanted)
        return any(
            _has_most(wanted, numbers, self._texts[number])
            for number in candidates
        )


def find_lost(
    sentences: Iterable[str], own: Set[str], others: CoveringTexts
) -> tuple[float, tuple[str, ...]]:
    """Give the share of the sentences' words that is found again, and the
    sentences that are not.

    ``own`` has the words of the file that the sentences come from, as it is
    now.
    """
    sizes = {sentence: len(content_words(sentence)) for sentence in sentences}
    lost = tuple(
        sentence
        for sentence in sizes
        if not is_covered(sentence, own) and not others.cover(sentence)
    )
    whole = sum(sizes.values())
    if not whole:
        return 1.0, lost
    return 1 - sum(sizes[sentence] for sentence in lost) / whole, lost


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


# These deny what follows, however many of them there are.
_DENIES = frozenset(
    words(
        """not never no nobody nothing none neither nor nowhere nicht nie niemals kein keine
        keinen keinem keiner keines nichts niemand weder pas jamais aucun aucune personne ni
        nunca jamás ningún ninguna nada nadie tampoco"""
    )
)
# These also undo a denial: what is "not forbidden" or "never without" is
# affirmed.
_OPPOSES = frozenset(
    words(
        """without avoid avoids avoided avoiding forbid forbids forbidden prohibit prohibits
        prohibited ban bans banned disallow disallows disallowed refuse refuses refused reject
        rejects rejected disable disables disabled deny denies denied exclude excludes
        excluded dislike dislikes disliked hate hates hated unsafe unable unwanted unlikely
        impossible invalid illegal incorrect untrue wrong ohne verboten untersagt sans
        interdit sin prohibido"""
    )
)
# "X instead of Y" denies Y alone, so a preposition ends what it denies.
_INSTEAD = "insteadof"
_PREPOSITIONS = frozenset(
    words("""for in on at to by with from of after before during""")
)
_CLAUSE_ENDS = frozenset(
    words(
        """but because since while although though so unless if when aber weil"""
    )
)
_NO_CONTENT = FUNCTION_WORDS | frozenset(
    words(
        """any can could did do does he her his i let may me might must my one ones our shall she
        should than those us we would also only ever allow allows allowed permit permits permitted
        enable enables enabled"""
    )
)
_REWRITES = (
    (r"’", "'"),
    (r"\bcan't\b|\bcannot\b", "can not"),
    (r"\bwon't\b", "will not"),
    (r"n't\b", " not"),
    (r"(?<=\w )no\.\s*(?=\d|$)", " "),  # "room no. 5"
    (r"\bno one\b", "nobody"),
    (r"\bnot only\b", " "),
    (r"\bno longer\b", "not"),
    (r"\bany ?more\b", " "),
    (r"\b(?:instead of|rather than|in place of)\b", _INSTEAD),
    (r"\b(?:switched|turned|shut) off\b", "disabled"),
)
_LEAST_SHARED = 0.5


@dataclass(frozen=True)
class Reversal:
    """An older sentence and a newer one that denies what it affirmed, or
    affirms what it denied.
    """

    before: str
    after: str

    def __str__(self) -> str:
        return f"“{self.before}” → “{self.after}”"


class Statements:
    """Older sentences, kept so that reversals of them are found without
    comparing all pairs.
    """

    def __init__(self, sentences: Iterable[str]) -> None:
        self._sentences = list(dict.fromkeys(map(fold_space, sentences)))
        self._signs = [polarity(sentence) for sentence in self._sentences]
        self._with_word: defaultdict[str, list[int]] = defaultdict(list)
        for number, found in enumerate(self._signs):
            for word in found:
                self._with_word[word].append(number)

    def reversed_by(self, sentence: str) -> list[Reversal]:
        """List the older sentences that this newer one reverses."""
        new = polarity(sentence)
        shared = Counter(
            number for word in new for number in self._with_word.get(word, ())
        )
        found = []
        for number, count in sorted(shared.items()):
            old = self._signs[number]
            about_the_same = count >= _LEAST_SHARED * min(len(old), len(new))
            if about_the_same and _flipped(old, new):
                found.append(
                    Reversal(self._sentences[number], fold_space(sentence))
                )
        return found


def split_sentences(text: str) -> list[str]:
    """Split a text at the ends of sentences and lines; a semicolon does not
    end a sentence.
    """
    parts = map(fold_space, re.split(r"(?<=[.!?])\s+|\n\s*", unwrap(text)))
    return [part for part in parts if part]


def polarity(sentence: str) -> dict[str, frozenset[bool]]:
    """Give each content word of a sentence with whether it is affirmed, denied
    (False), or both.
    """
    text = sentence.lower()
    for pattern, replacement in _REWRITES:
        text = re.sub(pattern, replacement, text)

    all_signed: list[tuple[str, bool]] = []
    # False after "Do not, …": the denial goes on in the next clause
    affirmed = True
    for clause in re.split(r"[,;:.!?()]+(?!\d)|\s[-–—]\s", text):
        for part in _split_at_conjunctions(words(clause)):
            signed, affirmed = _clause_signs(part, affirmed)
            all_signed += signed
    # "Deploys on Fridays: never."
    if not affirmed and all(sign for _, sign in all_signed):
        all_signed = [(word, False) for word, _ in all_signed]

    found: defaultdict[str, set[bool]] = defaultdict(set)
    for word, sign in all_signed:
        found[stem(word)].add(sign)
    return {word: frozenset(values) for word, values in found.items()}


def _clause_signs(
    tokens: Sequence[str], affirmed: bool
) -> tuple[list[tuple[str, bool]], bool]:
    """Sign the content words of one clause, and say how the next clause
    begins.
    """
    signed: list[tuple[str, bool]] = []
    waiting = False  # whether a negation has not met a content word yet
    after_instead = False
    sign = affirmed
    for word in tokens:
        if word in _DENIES or word == _INSTEAD:
            sign, waiting = False, True
            after_instead = word == _INSTEAD
        elif word in _OPPOSES:
            sign, waiting = not sign, True
        elif after_instead and word in _PREPOSITIONS:
            sign, after_instead = affirmed, False
        elif word not in _NO_CONTENT:
            signed.append((word, sign))
            waiting = False
    if not waiting:
        return signed, affirmed
    # "Spaces are not", "Telemetry is disabled": the negation is about what
    # precedes it
    if signed:
        return [(word, sign) for word, _ in signed], affirmed
    return signed, sign


def _split_at_conjunctions(tokens: Sequence[str]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for word in tokens:
        if word in _CLAUSE_ENDS:
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def _flipped(
    old: dict[str, frozenset[bool]], new: dict[str, frozenset[bool]]
) -> bool:
    """Tell whether a word is only affirmed in one sentence and only denied in
    the other.
    """
    return any(
        old[word].isdisjoint(new[word]) for word in old.keys() & new.keys()
    )
