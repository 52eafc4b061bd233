"""Sentences that were held back until a person decides on them.

A sentence that nothing supports, or that claims more authority than its source
has, is not written where nobody can be asked. It is kept in
``.memlab/pending/sentences.json`` in the memory directory, with the file that
it was meant for, and everything else of that file is written. Where a title or
a description of a new memory is in doubt, the memory is kept as a whole. The
list changes together with the files (``wal``), and nothing in it is dropped
unless a person decides on it or has the memory erased.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from memlab.errors import StoreError
from memlab.memdir.coverage import as_memory
from memlab.memdir.erasure import Traces
from memlab.memdir.index import INDEX
from memlab.memdir.memory import format_memory
from memlab.memdir.origin import Piece, pieces
from memlab.memdir.scan import one_line
from memlab.memdir.support import Judgement, Verdict
from memlab.text import fold_space, shorten

SOURCE_CHARACTERS = 120


@dataclass(frozen=True)
class HeldSentence:
    """A sentence that waits for a person.

    ``why`` is *unsupported*, or a rise in authority with the source that it
    seems to be taken from. ``stamp`` is its origin, which it keeps if it is
    accepted. ``content`` is the whole memory where it is held back as a whole,
    else "".
    """

    file: str
    text: str
    why: str
    who: str = ""
    session: str = ""
    at: str = ""
    content: str = ""
    stamp: dict[str, Any] = field(default_factory=dict)

    @property
    def line(self) -> str:
        """The sentence in one line."""
        what = " (the whole file)" if self.content else ""
        return f"{self.file}{what}: {one_line(self.text)} — {self.why}"


def held_sentence(
    file: str,
    piece: Piece,
    judgement: Judgement,
    *,
    content: str = "",
) -> HeldSentence:
    """Keep a sentence for the person, with the reason and its origin."""
    why = judgement.verdict.value
    if judgement.verdict is Verdict.RISE:
        why += f" ({rise_source(judgement)})"
    stamp = judgement.stamp.as_json()
    return HeldSentence(file, piece.text, why, content=content, stamp=stamp)


def rise_source(judgement: Judgement) -> str:
    """Say from which source a sentence seems to be taken."""
    source = shorten(one_line(judgement.by[0]), SOURCE_CHARACTERS)
    return f"{judgement.stamp.origin.label}: “{source}”"


def without_sentences(
    name: str, old: bytes | None, new: bytes, out: Iterable[Piece]
) -> bytes | None:
    """Take sentences out of a new version of a memory.

    A title or a description goes back to what it was. Gives the old version
    if nothing else can be kept: None if there was none.
    """
    memory, was = as_memory(name, new), as_memory(name, old or b"")
    if memory is None or name == INDEX:
        return old
    body = memory.body
    for piece in out:
        if not piece.label:
            body = _without(body, piece.text)
        elif was is None:
            return old
        elif fold_space(memory.name) == piece.text:
            memory = replace(memory, name=was.name)
        else:
            memory = replace(memory, description=was.description)
    if not body.strip():
        return old
    rest = format_memory(replace(memory, body=body)).encode()
    same = old is not None and pieces(name, rest) == pieces(name, old)
    return old if same else rest


def _without(body: str, sentence: str) -> str:
    pattern = r"\s+".join(map(re.escape, sentence.split()))
    body = re.sub(rf"(?<!\w){pattern}[ \t]*", "", body)
    left_alone = r"(?m)^(?:[-*+]|\*\*[^*\n]+\*\*:?)[ \t]*(?:\n(?=\s)|\Z)"
    body = re.sub(left_alone, "", body)
    return re.sub(r"\n{3,}", "\n\n", body).strip() + "\n"


def parse_held(data: bytes | None, where: Path) -> list[HeldSentence]:
    """Read the list of what waits for a person, the oldest first.

    Raises StoreError for a damaged list: nothing may be added to it, because
    what is in it would be lost.
    """
    try:
        return [HeldSentence(**one) for one in json.loads(data or b"[]")]
    except (ValueError, TypeError, RecursionError) as error:
        raise StoreError(
            "the list of the sentences that wait for you cannot be read",
            where=where,
            do="Correct it, or delete it",
        ) from error


def encode_held(held: Sequence[HeldSentence]) -> bytes:
    """Write the list of what waits for a person."""
    return json.dumps([asdict(one) for one in held], indent=1).encode("ascii")


def is_about(one: HeldSentence, file: str, words: Traces) -> bool:
    """Tell whether a sentence was meant for a forgotten memory, or contains
    any of its words.
    """
    said = "\n\n".join((one.text, one.why, one.content))
    return one.file == file or words.are_in(said)
