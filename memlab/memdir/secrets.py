"""Secrets in a text: keys by their published prefixes, passwords by what is
said about them.

The forms and the words are data, in ``secrets.toml``; this module reads a text
with them. It cannot recognise a secret of no known form that nothing near it
calls one, or a password that is a plain word without quotes, and it cannot
tell whether a value is still valid.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

REMOVED = "[removed]"
_MOST = 64  # characters of a value that are looked at
_FIRST = 32  # characters by which two values are compared
_PASSES = 4  # a value may turn out to be one when another is gone


@dataclass(frozen=True)
class Secret:
    """What kind of secret it is and where it is; the value is never kept.

    It begins at ``offset``, perhaps with the word that gives it away; the value
    goes from ``start`` to ``end``. The fingerprint is the same wherever the
    same value is found.
    """

    kind: str
    offset: int
    start: int = field(compare=False)
    end: int = field(compare=False)
    fingerprint: str = field(compare=False, repr=False)

    def line_in(self, text: str) -> int:
        """Give the line of the text on which it begins, from 1."""
        return text.count("\n", 0, self.offset) + 1


def find_secrets(text: str) -> tuple[Secret, ...]:
    """Find secrets in the order of the text, each value once.

    Placeholders do not count. Accents, characters that a reader cannot see and
    spaces between single letters are ignored.
    """
    found: dict[int, Secret] = {}
    for reading, places in _readings(text):
        for kind, offset, match in _matches(reading):
            start, end = match.span("value")
            bare = re.sub(r"-----BEGIN[^-]*-+|\s", "", match["value"]).strip(
                _MARKS
            )
            fingerprint = hashlib.sha256(bare[:_FIRST].encode()).hexdigest()
            begin, after = places[start], places[end - 1] + 1
            secret = Secret(kind, places[offset], begin, after, fingerprint)
            found.setdefault(begin, secret)
    return tuple(sorted(found.values(), key=lambda secret: secret.offset))


def remove_secrets(text: str) -> str:
    """Replace the value of every secret by ``[removed]``.

    What is put there counts as a placeholder, so doing it again changes
    nothing.
    """
    for _ in range(_PASSES):
        kept, end = "", 0
        for secret in sorted(
            find_secrets(text), key=lambda secret: secret.start
        ):
            if secret.end > end:
                if secret.start >= end:
                    kept += text[end : secret.start] + REMOVED
                end = next(_REST_OF_WORD.finditer(text, secret.end)).end()
        text = kept + text[end:]
    return text


def _readings(text: str) -> Iterator[tuple[str, Sequence[int]]]:
    """Give the text as a reader takes it, then with spaced letters joined; each
    with the place in the text of every character.
    """
    seen = text.translate(_PLAIN)
    places: Sequence[int] = range(len(seen))
    for unseen in (_INVISIBLE, _BETWEEN_LETTERS):
        gaps = {gap.start() for gap in unseen.finditer(seen)}
        if gaps:
            places = [
                place for at, place in enumerate(places) if at not in gaps
            ]
            seen = unseen.sub("", seen)
        if gaps or unseen is _INVISIBLE:
            yield seen, places


def _matches(text: str) -> Iterator[tuple[str, int, re.Match[str]]]:
    """Give the kind, the place and the match of each secret in a reading."""
    small = text.lower()  # exactly as long as the text
    for form in _FORMS:
        if any(sign in small for sign in form.signs):
            for match in form.pattern.finditer(text):
                if form.accepts(match):
                    yield form.kind, match.start(), match
    end = 0
    for word in _WORD.finditer(small):
        if word.start() < end:
            continue  # it is part of a value
        for form in _AFTER_WORDS:
            known = word.lastgroup in form.words
            match_ = form.pattern.match(text, word.end()) if known else None
            if match_ and form.accepts(match_):
                yield form.kind, word.start(), match_
                end = match_.end()
                break


class _Plain(dict[int, str]):
    """A table for ``str.translate``: letters without accents, in half width."""

    def __missing__(self, code: int) -> str:
        apart = unicodedata.normalize("NFKD", chr(code))
        is_one = all(unicodedata.combining(mark) for mark in apart[1:])
        self[code] = apart[0] if is_one else chr(code)
        return self[code]


_PLAIN = _Plain()
_INVISIBLE = re.compile(
    "[\xad\u0300-\u036f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u3099\u309a\ufeff]"
)
# a space between single letters, of which there are three or more
_BETWEEN_LETTERS = re.compile(
    r"(?<=\w)(?<!\w\w) (?=\w(?!\w))(?:(?=\w \w(?!\w))|(?<=\w \w )(?<!\w\w \w ))"
)
_MARKS = "\"'`“”„«».,;:!?)(*"
# the rest of a word, without a full stop at its end
_REST_OF_WORD = re.compile(r"(?:[^\s\"'`,;)\]}>]*[^\s\"'`,;)\]}>.])?")

_TABLE = tomllib.loads(
    Path(__file__).with_name("secrets.toml").read_text("utf-8")
)


def _compiled(pattern: str) -> re.Pattern[str]:
    while "{{" in pattern:
        pattern = re.sub(
            r"{{(\w+)}}", lambda part: _TABLE["parts"][part[1]], pattern
        )
    return re.compile(pattern.strip(), re.VERBOSE)


class _Form:
    """A row of the table: a pattern, and what its value has to be."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.kind = row["kind"]
        self.pattern = _compiled(row["pattern"])
        self.words = row.get("words", ())
        self.signs = row.get("signs", [""])
        self.fits = row.get("fits", "anything")
        self.near = _compiled(row.get("near", ""))
        self.within = row.get("within", 120)

    def accepts(self, match: re.Match[str]) -> bool:
        """Tell whether a match is a secret and no placeholder."""
        begin, end = match.start() - self.within, match.end() + self.within
        around = match.string[max(begin, 0) : end]
        value = match["value"]
        if _HARMLESS.search(value[:_MOST]) or not self.near.search(around):
            return False
        if self.fits.endswith("random"):
            least = 0.4 if self.fits == "very random" else 0.3
            return _randomness(value.rstrip("=.,;:")[:_MOST]) >= least
        bare = value.lstrip("\"'`*([").rstrip("\"'`*.,;:)]")
        return bool(_LOOKS[self.fits].match(bare))


def _randomness(value: str) -> float:
    """Give the share of neighbours of different kinds, such as a letter and a
    digit. People write few, and names in programs have few.
    """
    if not re.search(r"\d", value) or not re.search("[A-Za-z]", value):
        return 0
    if re.fullmatch("[0-9a-fA-F]+", value):
        return float(len(value) >= 20)
    runs = re.findall(r"[a-z]+|[A-Z]+|\d+|[^a-zA-Z\d]+", value)
    return (len(runs) - 1) / (len(value) - 1)


_HARMLESS = _compiled(_TABLE["harmless"])
_LOOKS = {
    look: _compiled(pattern) for look, pattern in _TABLE["looks"].items()
}
_FORMS = [_Form(row) for row in _TABLE["form"]]
_AFTER_WORDS = [_Form(row) for row in _TABLE["after"]]
_GROUPS = [f"(?P<{group}>{words})" for group, words in _TABLE["words"].items()]
_WORD = _compiled(f"{_TABLE['begin_of_word']} (?:{'|'.join(_GROUPS)})")
