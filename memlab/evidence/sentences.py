"""Sentences: the unit in which the evidence for a memory is weighed.

This is the only place that cuts text into sentences. A stamp in the journal
names a sentence by the hash of its words, so a text that was cut in another
way would lose the stamps of all its sentences. A quotation is never cut: it
stays with the words that say whose it is. Nothing here knows who said a
sentence, or whether it is true.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from memlab.errors import MemoryFormatError
from memlab.memdir.index import parse_pointers
from memlab.memdir.memory import Memory, parse_memory
from memlab.memdir.places import INDEXES
from memlab.text import content_words, fold_space, terms_of, words

HASH_DIGITS = 24
WRAPPED_WORDS = 6

# Who speaks, and that somebody wishes something, is the grammar of a memory.
_FRAME = frozenset(
    terms_of("""
    user person developer assistant agent i me my we our us you your
    wants want prefers prefer likes like asks says said told remember memory
    note please since ever instead been ought today tomorrow yesterday
    allow allowed permit permitted enable enabled
    """)
)
_NO_CONTENT = re.compile(r"\[\[[^\[\]\n]*\]\]|\b20\d\d(?:-\d\d-\d\d)?\b")
_DENIES = re.compile(
    r"(?i)\b(?:not(?! only)|never|no(?!\. ?\d)|nobody|none|nothing|nowhere"
    r"|neither|nor|cannot|without|instead of|rather than|(?:no|any) longer"
    r"|(?:avoid|forbid|prohibit|reject|refuse|disable|dislike|hate)\w*"
    r"|ban(?:s|ned|ning)?"
    r"|un(?:safe|able|wanted|likely)|wrong|nicht|nie|kein\w*|ohne|pas|jamais"
    r"|sans)\b|n['’]t\b"
)
_CLAUSE_END = re.compile(
    r"(?<!\bno)[,;:.!?()]+(?:\s|$)|\s[-–—]\s|\b(?:but|because|since|while|although|so"
    r"|unless|if|when|aber|weil)\b"
)
_PARAGRAPH_END = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+#>|]\s|\*\*|\d+[.)]\s))")
_LABELLED = re.compile(r"(?i)\*\*\s*(?:why|how to apply)\s*:?\s*\*\*\s*:?")
_END = re.compile(r"(?<=[.!?…])\s+|(?<=[.!?…][\"”»])\s+")
_QUOTATION_MARK = re.compile('["“”„«»]')
_ENDED_LINE = re.compile(r"[.!?…:;|\"”]\s*$")


@dataclass(frozen=True)
class Sentence:
    """A sentence of a text, or the name or description of a memory (``label``).

    ``inferable`` is true in a *Why* or *How to apply* paragraph, which a model
    may infer.
    """

    text: str
    label: bool = False
    inferable: bool = False

    @cached_property
    def key(self) -> str:
        """The hash of the words, by which a stamp in the journal names it."""
        said = " ".join(words(self.text)).encode("utf-8", "surrogatepass")
        return hashlib.sha256(said).hexdigest()[:HASH_DIGITS]

    @cached_property
    def stems(self) -> frozenset[str]:
        """What it is about: stems without dates, links and who speaks."""
        said = _NO_CONTENT.sub(" ", self.text)
        return frozenset(terms_of(said)) - _FRAME

    @cached_property
    def words(self) -> frozenset[str]:
        """Its words as they are, without those that every text has."""
        return content_words(self.text)

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The words with a digit in them."""
        return frozenset(
            one for one in self.words if any(map(str.isdigit, one))
        )

    @cached_property
    def denies(self) -> frozenset[str]:
        """The stems that come after a negation in the same clause, or all of
        the clause if none comes after it.
        """
        found: set[str] = set()
        for clause in _CLAUSE_END.split(self.text):
            parts = _DENIES.split(clause)
            denied = terms_of(" ".join(parts[1::2]))
            if len(parts) % 2 == 0 and not denied:
                denied = terms_of(clause) or terms_of(self.text)
            found.update(denied)
        return self.stems & found

    def reverses(self, older: Sentence) -> bool:
        """Tell whether it denies what an older sentence about the same matter
        affirms, or affirms what that denies.
        """
        shared = self.stems & older.stems
        fewest = min(len(self.stems), len(older.stems))
        about_the_same = 2 * len(shared) > fewest
        return about_the_same and bool(shared & (self.denies ^ older.denies))


def split(text: str) -> list[Sentence]:
    """Cut Markdown into its sentences; a wrapped line does not end one."""
    found: dict[tuple[str, bool], None] = {}
    for paragraph in _PARAGRAPH_END.split(text):
        said = fold_space(paragraph)
        label = _LABELLED.match(said)
        if label:
            said = said[label.end() :].strip()
        for one in _without_cut_quotations(said):
            found[one, label is not None] = None
    return [
        Sentence(text, inferable=inferable)
        for text, inferable in found
        if words(text)
    ]


def split_lines(text: str) -> list[Sentence]:
    """Cut what was typed or printed: a line ends a sentence, too.

    A line of six words or more without a punctuation mark at its end counts as
    wrapped and goes on in the next one.
    """
    lines: list[str] = []
    for line in text.split("\n"):
        is_long = len(line.split()) >= WRAPPED_WORDS
        goes_on = is_long and not _ENDED_LINE.search(line)
        lines.append(line if goes_on else f"{line}\n")
    return split("\n".join(lines))


def split_sentences(text: str) -> list[str]:
    """Cut Markdown into the texts of its sentences."""
    return [one.text for one in split(text)]


def sentences_of(file: str, data: bytes | None) -> list[Sentence]:
    """Cut a memory into its name, its description and the sentences of its
    body.

    Of an index it gives the titles and hooks of the lines, and of a file that
    is no memory all sentences.
    """
    text = text_of(data)
    if file in INDEXES:
        pointers = parse_pointers(text)
        labels = [said for one in pointers for said in (one.title, one.hook)]
        body: list[Sentence] = []
    else:
        memory = as_memory(data)
        labels = [memory.name, memory.description] if memory else []
        body = split(memory.body if memory else text)
    said = [Sentence(one, label=True) for one in labels if words(one)]
    return list(dict.fromkeys([*said, *body]))


def as_memory(data: bytes | None, path: Path | None = None) -> Memory | None:
    """Read a memory; None for what is none."""
    try:
        return parse_memory(data or b"", path=path)
    except MemoryFormatError:
        return None


def text_of(data: bytes | None) -> str:
    """Read bytes as text, whatever they are."""
    return (data or b"").decode("utf-8", "replace")


def _without_cut_quotations(text: str) -> Iterator[str]:
    waiting: list[str] = []
    marks: Counter[str] = Counter()
    for part in _END.split(text):
        waiting.append(part)
        marks.update(_QUOTATION_MARK.findall(part))
        is_open = (
            marks['"'] % 2 == 1
            or marks["“"] > marks["”"]
            or marks["„"] > marks["“"] + marks["”"]
            or marks["«"] > marks["»"]
        )
        if not is_open:
            yield " ".join(waiting)
            waiting.clear()
            marks.clear()
    if waiting:  # a quotation that nobody closes is none
        yield from re.split(r"(?<=[.!?…])\s+", " ".join(waiting))
