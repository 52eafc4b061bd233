"""Changed negations: sentences that say the opposite of what an older sentence said.

Each content word of a sentence is affirmed or denied: the words after "not", "never" or "without"
are denied up to the end of the clause. Two sentences about the same thing in which one word went
from denied to affirmed, or back, are a reversal. Left out: reversals without a word of negation
("before" for "after", "fast" for "slow"), and any judgement on whether the change is right.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memlab.text import fold_space, words

# These deny what follows, however many of them there are.
_DENIES = frozenset(
    words(
        """not never no nobody nothing none neither nor nowhere nicht nie niemals kein keine
        keinen keinem keiner keines nichts niemand weder pas jamais aucun aucune personne ni
        nunca jamás ningún ninguna nada nadie tampoco"""
    )
)
# These also undo a denial: what is "not forbidden" or "never without" is affirmed.
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
_PREPOSITIONS = frozenset(words("""for in on at to by with from of after before during"""))
_CLAUSE_ENDS = frozenset(
    words("""but because since while although though so unless if when aber weil""")
)
_NO_CONTENT = frozenset(
    words(
        """a an and any are as at be been by can could did do does every for from had has have he
        her his how i in into is it its let may me might must my of on one ones or our shall
        she should such than that the their them then there these they this those to too us
        was we were what where which who why will with would you your also only ever allow
        allows allowed permit permits permitted enable enables enabled"""
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
    """An older sentence and a newer one that denies what it affirmed, or affirms what it denied."""

    before: str
    after: str

    def __str__(self) -> str:
        return f"“{self.before}” → “{self.after}”"


class Statements:
    """Older sentences, kept so that reversals of them are found without comparing all pairs."""

    def __init__(self, sentences: Iterable[str]) -> None:
        self._sentences = list(dict.fromkeys(map(fold_space, sentences)))
        self._signs = [signs(sentence) for sentence in self._sentences]
        self._with_word: defaultdict[str, list[int]] = defaultdict(list)
        for number, found in enumerate(self._signs):
            for word in found:
                self._with_word[word].append(number)

    def reversed_by(self, sentence: str) -> list[Reversal]:
        """List the older sentences that this newer one reverses."""
        new = signs(sentence)
        shared = Counter(number for word in new for number in self._with_word.get(word, ()))
        found = []
        for number, count in sorted(shared.items()):
            old = self._signs[number]
            about_the_same = count >= _LEAST_SHARED * min(len(old), len(new))
            if about_the_same and _flipped(old, new):
                found.append(Reversal(self._sentences[number], fold_space(sentence)))
        return found


def find_reversals(before: str, after: str) -> list[Reversal]:
    """List the sentences of a text that reverse one of an older text."""
    statements = Statements(split_sentences(before))
    return [one for sentence in split_sentences(after) for one in statements.reversed_by(sentence)]


def split_sentences(text: str) -> list[str]:
    """Split a text at the ends of sentences and lines; a semicolon does not end a sentence."""
    parts = map(fold_space, re.split(r"(?<=[.!?])\s+|\n\s*", text))
    return [part for part in parts if part]


def signs(sentence: str) -> dict[str, frozenset[bool]]:
    """Give each content word of a sentence with whether it is affirmed, denied (False), or both."""
    text = sentence.lower()
    for pattern, replacement in _REWRITES:
        text = re.sub(pattern, replacement, text)

    all_signed: list[tuple[str, bool]] = []
    affirmed = True  # False after "Do not, …": the denial goes on in the next clause
    for clause in re.split(r"[,;:.!?()]+(?!\d)|\s[-–—]\s", text):
        for part in _split_at_conjunctions(words(clause)):
            signed, affirmed = _clause_signs(part, affirmed)
            all_signed += signed
    if not affirmed and all(sign for _, sign in all_signed):  # "Deploys on Fridays: never."
        all_signed = [(word, False) for word, _ in all_signed]

    found: defaultdict[str, set[bool]] = defaultdict(set)
    for word, sign in all_signed:
        found[_stem(word)].add(sign)
    return {word: frozenset(values) for word, values in found.items()}


def _clause_signs(tokens: Sequence[str], affirmed: bool) -> tuple[list[tuple[str, bool]], bool]:
    """Sign the content words of one clause, and say how the next clause begins."""
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
    if signed:  # "Spaces are not", "Telemetry is disabled": the negation is about what precedes it
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


def _flipped(old: dict[str, frozenset[bool]], new: dict[str, frozenset[bool]]) -> bool:
    """Tell whether a word is only affirmed in one sentence and only denied in the other."""
    return any(old[word].isdisjoint(new[word]) for word in old.keys() & new.keys())


def _stem(word: str) -> str:
    """Cut the usual endings of English, so that "tags", "tagged" and "tagging" are one word."""
    for ending, replacement in (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: len(word) - len(ending)] + replacement
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    return word[:-1] if len(word) > 2 and word.endswith("e") else word
