"""The history that every memory system is told, and the questions about it.

``data/landscape/README.md`` describes the files. All times are UTC.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[2] / "data" / "landscape"


@dataclass(frozen=True)
class Fact:
    """One statement of a turn, as a careful reader would note it down.

    ``key`` is a phrase that no other fact contains. ``kind`` is world,
    experience, opinion or observation, and ``about`` names people, places and
    things. ``replaces`` is the older fact that it makes wrong: the labels know
    that, and no system looks at it.
    """

    id: str
    key: str
    text: str
    kind: str
    about: tuple[str, ...]
    replaces: str
    at: datetime

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d}: {self.text}"


@dataclass(frozen=True)
class Turn:
    """What ``robin``, the ``agent`` or a ``tool`` says, with its facts."""

    at: datetime
    who: str
    text: str
    facts: tuple[Fact, ...]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.who}: {self.text}"


@dataclass(frozen=True)
class Question:
    """A question, the facts that an answer needs, and those that would
    mislead. ``kind`` says what makes it hard.
    """

    id: str
    half: str
    kind: str
    text: str
    at: datetime
    needs: tuple[str, ...]
    stale: tuple[str, ...]


def load_history(path: Path = DATA / "history.yaml") -> list[Turn]:
    """Read all turns in order; each takes a minute."""
    turns = []
    for session in _read(path)["sessions"]:
        at = datetime.fromisoformat(session["at"])
        for turn in session["turns"]:
            facts = [_read_fact(noted, at) for noted in turn["facts"]]
            turns.append(Turn(at, turn["who"], turn["text"], tuple(facts)))
            at += timedelta(minutes=1)
    return turns


def load_questions(path: Path = DATA / "questions.yaml") -> list[Question]:
    """Read all questions; nobody tunes on those of the half ``final``."""
    return [
        Question(
            id=entry["id"],
            half=entry.get("half", ""),
            kind=entry["kind"],
            text=entry["question"],
            at=datetime.fromisoformat(entry["at"]),
            needs=tuple(entry["needs"]),
            stale=tuple(entry["stale"]),
        )
        for entry in _read(path)["questions"]
    ]


def facts_of(turns: Iterable[Turn]) -> dict[str, Fact]:
    """Return the facts of some turns by their ids, oldest first."""
    return {fact.id: fact for turn in turns for fact in turn.facts}


def _read_fact(noted: dict[str, Any], at: datetime) -> Fact:
    about, replaces = tuple(noted["about"]), noted.get("replaces", "")
    text, kind = noted["text"], noted["kind"]
    return Fact(noted["id"], noted["key"], text, kind, about, replaces, at)


def _read(path: Path) -> Any:
    import yaml

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # C is faster
    return yaml.load(path.read_text(encoding="utf-8"), loader)
