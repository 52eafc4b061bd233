"""One memory that a model writes: what of it is written, and what waits.

A sentence that claims more than its source is left out and waits for the
person. So does, where nobody reads along, one that nobody said, if something
less trusted than the assistant was heard. What the person asked not to save is
left out and does not even wait. What a rewrite loses although the person has not taken it
back is added again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from memlab.evidence.origin import Origin
from memlab.evidence.pending import PendingChange
from memlab.evidence.review import keep_lost
from memlab.evidence.sentences import (
    Sentence,
    as_memory,
    sentences_of,
    split,
)
from memlab.evidence.support import SHOWN, Evidence, Judgement, Verdict
from memlab.memdir.journal import content_hash
from memlab.memdir.memory import format_memory
from memlab.memdir.places import INDEXES
from memlab.text import shorten

_WHOSE = {
    Origin.OUTSIDE: "from outside",
    Origin.TOOL_RESULT: "what a tool printed",
    Origin.UNKNOWN: "from a text of unknown origin",
    Origin.PROJECT_FILE: "what a file contains",
    Origin.ASSISTANT: "the assistant's words",
    Origin.PERSON: "a mixture of sentences",
}


def held_back(
    draft: PendingChange,
    new: bytes,
    old: bytes | None,
    others: Iterable[str],
    evidence: Evidence,
    *,
    watched: bool,
) -> tuple[bytes | None, list[PendingChange], dict[str, str]]:
    """Give what is written of a memory, None for nothing; what waits; and what
    to tell about it, by rule.

    ``draft`` has the file and the writer, and ``others`` are the texts of the
    other memories. Where a person is there and reads along (``watched``), a
    model may word things in its own way.
    """
    found = _doubtful(draft.file, new, old, evidence, watched)
    is_index = draft.file in INDEXES
    rest: bytes | None = new
    if found:
        rest = old if is_index else without(old, new, found)
    waits = [
        replace(
            draft,
            text=one.text,
            why=judged.why,
            stamps={one.key: judged.stamp.as_json()},
        )
        for one, judged in found.items()
        if judged.verdict is not Verdict.OFF_RECORD and not is_index
    ]
    if rest is None and waits and len(waits) == len(found):
        # it waits as a whole
        text = new.decode("utf-8", "surrogateescape")
        stamps = {
            key: one for each in waits for key, one in each.stamps.items()
        }
        base = content_hash(old)
        waits = [replace(waits[0], text=text, base=base, stamps=stamps)]
    if rest == old:
        rest = None
    told = dict[str, str]()
    if found:
        told["held"] = _said_of(found, bool(waits), rest is not None)
    if rest is not None and old is not None and not is_index:
        kept = keep_lost(old, rest, others, evidence)
        rest = kept.data
        lost = shorten(" ".join(kept.lost), 300)
        gone = shorten(" ".join(kept.replaced), 300)
        if lost:
            told["kept"] = (
                f"{draft.file} also said “{lost}”. The person has not taken"
                " that back, so it was added below the new text"
            )
        if gone:
            told["replaced"] = (
                f"{draft.file} no longer says “{gone}”, because of what the"
                " person said now"
            )
    return rest, waits, told


def _doubtful(
    file: str, new: bytes, old: bytes | None, evidence: Evidence, watched: bool
) -> dict[Sentence, Judgement]:
    had = {one.key for one in sentences_of(file, old)}
    found = {}
    for one in sentences_of(file, new):
        judged = evidence.judge(one)
        strange = judged.held_back and judged.stamp.origin < Origin.ASSISTANT
        claims = judged.verdict in (Verdict.RISE, Verdict.OFF_RECORD)
        if one.key not in had and (claims or (strange and not watched)):
            found[one] = judged
    return found


def _said_of(
    found: Mapping[Sentence, Judgement], waits: bool, left: bool
) -> str:
    """Say which sentences are left out, whose words they are, and what
    becomes of them and of the rest.
    """
    said = " ".join(f"“{shorten(one.text, 200)}”" for one in found)
    first = next(iter(found.values()))
    why = "the person neither said it nor agreed to it"
    if first.verdict is Verdict.OFF_RECORD:
        why = "the person asked not to save it"
    elif first.verdict is Verdict.RISE:
        whose = _WHOSE[first.stamp.origin]
        why = f"it is {whose} (“{shorten(first.by[0], SHOWN)}”), and the"
        why += " person did not agree to it"
    told = f"{said} was not written: {why}"
    if waits:
        told += ". It waits for the person, who decides with /review"
    rest = "The rest was written" if left else "None of this file was written"
    return f"{told}. {rest}"


def without(
    old: bytes | None, new: bytes, out: Iterable[Sentence]
) -> bytes | None:
    """Take sentences out of a new version of a memory.

    A title or a description goes back to what it was. Gives the old version
    if nothing else can be kept: None if there was none.
    """
    memory, was = as_memory(new), as_memory(old)
    if memory is None:
        return old
    body = memory.body
    for one in out:
        if not one.label:
            words = r"\s+".join(map(re.escape, one.text.split()))
            body = re.sub(rf"(?<!\w){words}[ \t]*", "", body)
        elif was is None:
            return old
        elif one.text == memory.name:
            memory = replace(memory, name=was.name)
        else:
            memory = replace(memory, description=was.description)
    # a list entry or a label with nothing behind it
    alone = r"(?m)^(?:[-*+]|\*\*[^*\n]+\*\*:?)[ \t]*(?:\n(?=\s)|\Z)"
    body = re.sub(alone, "", body.strip())
    body = re.sub(r"\n{3,}", "\n\n", body).strip() + "\n"
    if all(one.inferable for one in split(body)):
        return old  # a reason for nothing
    rest = format_memory(replace(memory, body=body)).encode()
    same = sentences_of("", rest) == sentences_of("", old)
    return old if same else rest
