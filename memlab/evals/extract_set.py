"""What the labelled set of extraction is made of: dialogues, labels, attempts at poisoning.

Left out: reading it from files (``labelled_extract.py``), the rules it keeps
(``extract_rules.py``), and judging what was stored (``extract_score.py``).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from itertools import pairwise
from typing import Any

from memlab.evals.labelled_select import LabelError
from memlab.text import fold_space


@dataclass(frozen=True)
class Turn:
    """What the person or the agent says, or one call of a tool: ``text`` is then its result."""

    role: str
    text: str
    at: datetime
    tool: str = ""
    input: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class StoredMemory:
    """A memory file as far as a label goes: one that is there already, or one that was stored."""

    file: str
    name: str
    description: str
    type: str | None
    body: str

    @property
    def text(self) -> str:
        """Name, description and body, where a label's texts have to stand."""
        return "\n".join((self.name, self.description, self.body))


@dataclass(frozen=True)
class Must:
    """Something that has to be stored, and how to recognise it.

    Every text of ``says`` has to stand in the memory; alternatives are parted by `` | ``.
    ``date`` has to stand there in ISO form. ``words`` are the words of the dialogue it comes from,
    ``days`` and ``weekday`` the same date counted once more by hand. ``updates`` names the file
    that has to change, where a new one would be a duplicate.
    """

    type: str
    says: tuple[str, ...]
    date: date | None = None
    words: str = ""
    days: int = 0
    weekday: str = ""
    updates: str | None = None


@dataclass(frozen=True)
class MustNot:
    """Something that may not be stored: a memory in which every text of ``says`` stands."""

    says: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class Dialogue:
    """A few turns of a session, the memories there already, and what is to be stored of them."""

    id: str
    half: str
    kind: str
    project: str
    at: datetime
    turns: tuple[Turn, ...]
    existing: tuple[StoredMemory, ...]
    claude_md: str
    must: tuple[Must, ...]
    must_not: tuple[MustNot, ...]
    reason: str


@dataclass(frozen=True)
class Attempt:
    """A text that poses as the person's wish, by ``where`` it stands and the ``trick`` it uses.

    ``twin_of`` names the attempt this one repeats with a person who agrees; None for an attempt.
    The kind of its dialogue is ``poison`` or ``agreed``.
    """

    dialogue: Dialogue
    where: str
    trick: str
    twin_of: str | None

    @property
    def id(self) -> str:
        """The dialogue's id."""
        return self.dialogue.id

    @property
    def half(self) -> str:
        """The dialogue's half."""
        return self.dialogue.half


def to_messages(dialogue: Dialogue) -> list[dict[str, Any]]:
    """Give the dialogue as messages of the Messages API.

    Calls of tools in a row are parallel calls of one assistant message. Raises LabelError where
    the turns do not alternate, or do not end with the agent: that is when an extraction runs.
    """
    return [message for message, _ in _timed(dialogue)]


def message_times(dialogue: Dialogue) -> list[datetime]:
    """Give the time of each message of ``to_messages``; a relative date counts from its own."""
    return [at for _, at in _timed(dialogue)]


def stands_in(wanted: str, text: str) -> bool:
    """Say whether a label's text, or one of its alternatives, stands in the text.

    Case, the width of white space and the form of accents do not count.
    """
    whole = _folded(text)
    return any(_folded(one) in whole for one in alternatives(wanted))


def alternatives(wanted: str) -> list[str]:
    """Give the alternatives of a label's text."""
    return [one.strip() for one in wanted.split(" | ")]


def all_stand_in(wanted: Iterable[str], text: str) -> bool:
    """Say whether every text of a label stands in the text."""
    return all(stands_in(one, text) for one in wanted)


def _folded(text: str) -> str:
    return fold_space(unicodedata.normalize("NFC", text)).casefold()


def _timed(dialogue: Dialogue) -> list[tuple[dict[str, Any], datetime]]:
    timed: list[tuple[dict[str, Any], datetime]] = []
    before = ""
    for number, turn in enumerate(dialogue.turns):
        if turn.role == "person":
            timed.append(({"role": "user", "content": turn.text}, turn.at))
        elif turn.role == "agent":
            block = {"type": "text", "text": turn.text}
            timed.append(({"role": "assistant", "content": [block]}, turn.at))
        else:
            call, result = _tool_blocks(turn, f"toolu_{dialogue.id}_{number}")
            if before == "tool":
                timed[-2][0]["content"].append(call)
                timed[-1][0]["content"].append(result)
            else:
                if before == "agent":
                    timed[-1][0]["content"].append(call)
                else:
                    timed.append(({"role": "assistant", "content": [call]}, turn.at))
                timed.append(({"role": "user", "content": [result]}, turn.at))
        before = turn.role
    if wrong := next(_out_of_order([message["role"] for message, _ in timed]), None):
        raise LabelError(wrong, where=dialogue.id, do="Let the turns alternate.")
    return timed


def _tool_blocks(turn: Turn, id: str) -> tuple[dict[str, Any], dict[str, Any]]:
    call = {"type": "tool_use", "id": id, "name": turn.tool, "input": dict(turn.input or {})}
    return call, {"type": "tool_result", "tool_use_id": id, "content": turn.text}


def _out_of_order(roles: list[str]) -> Iterator[str]:
    if not roles or roles[0] != "user":
        yield "the first turn is not the person's"
    if any(one == two for one, two in pairwise(roles)):
        yield "two messages in a row are on the same side"
    if roles and roles[-1] != "assistant":
        yield "the last turn is not the agent's"
