"""Reads the history and the questions of the comparison, and says exactly what
is wrong in one of the files.

``data/landscape/README.md`` describes their form. All times are UTC.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memlab.errors import MemlabError
from memlab.landscape.system import Asked, Fact, MemorySystem, Turn

DATA = Path(__file__).resolve().parents[2] / "data" / "landscape"
HISTORY = DATA / "history.yaml"
QUESTIONS = DATA / "questions.yaml"
MIND = DATA / "mind.yaml"

SPEAKERS = ("robin", "agent", "tool")
KINDS = ("world", "experience", "opinion", "observation")
QUESTION_KINDS = (
    "plain",
    "changed",
    "nuance",
    "time",
    "relation",
    "never",
    "injected",
)
HALVES = ("work", "final")


@dataclass(frozen=True)
class Session:
    """One conversation of the history."""

    id: str
    at: datetime
    title: str
    turns: tuple[Turn, ...]


@dataclass(frozen=True)
class History:
    """All sessions, oldest first.

    ``replaces`` leads from a fact to the older fact that it makes wrong, and
    ``subjects`` from a fact to the matter that somebody changes their mind
    about. Both are for scoring: no turn or fact has them. Only ``ByLabels``,
    which is always named as the judge, answers from ``replaces``.
    """

    sessions: tuple[Session, ...]
    replaces: Mapping[str, str]
    subjects: Mapping[str, str]

    @property
    def turns(self) -> Iterator[Turn]:
        """Every turn in order, as a system is given them."""
        for session in self.sessions:
            yield from session.turns

    @property
    def facts(self) -> dict[str, Fact]:
        """Every fact by its id, in order."""
        return {fact.id: fact for turn in self.turns for fact in turn.facts}

    @property
    def corrections(self) -> set[tuple[str, str]]:
        """The texts of ``replaces``, for ``asking.ByLabels``."""
        facts = self.facts
        return {
            (facts[new].text, facts[old].text)
            for new, old in self.replaces.items()
        }


@dataclass(frozen=True)
class Question:
    """A question with what it takes to answer it.

    ``needs`` has the facts that are all needed, and none for a question that
    must be declined. ``stale`` has those that would mislead. ``forbidden`` has
    phrases of an answer that was invented, or that obeys an instruction in
    data; ``answer_any`` has phrases of which every right answer contains one,
    in lower case. ``when`` is "now", "then" or "".
    """

    id: str
    half: str
    kind: str
    asked: Asked
    needs: tuple[str, ...]
    stale: tuple[str, ...]
    answer: str
    forbidden: tuple[str, ...]
    when: str = ""
    answer_any: tuple[str, ...] = ()


def load_history(path: Path = HISTORY) -> History:
    """Read the sessions of a file; raises MemlabError for a mistake in it."""
    sessions: list[Session] = []
    facts: dict[str, Fact] = {}
    replaces: dict[str, str] = {}
    subjects: dict[str, str] = {}
    for entry in _entries(path, "sessions"):
        session = _read_session(path, entry, facts, replaces, subjects)
        if sessions and session.at < sessions[-1].at:
            raise _mistake(
                "this session is earlier than the one before it",
                path,
                session.id,
                "Put the sessions in the order of their times",
            )
        sessions.append(session)
    _check_keys(path, facts)
    for new, old in replaces.items():
        if old not in facts or facts[old].at > facts[new].at:
            raise _mistake(
                f"it replaces {old}, which is no earlier fact",
                path,
                new,
                "Name the fact that it makes wrong",
            )
    return History(tuple(sessions), replaces, subjects)


def load_questions(
    path: Path = QUESTIONS,
    *,
    half: str = "work",
    history: History | None = None,
) -> list[Question]:
    """Read the questions of one half, or of both for ``half=""``.

    With a ``history``, facts that it does not have are a mistake too. Raises
    MemlabError for a mistake in any question of the file.
    """
    if half not in ("", *HALVES):
        raise MemlabError(
            f"there is no half {half!r}",
            where=path,
            do=f"Choose from: {', '.join(HALVES)}",
        )
    questions: dict[str, Question] = {}
    for entry in _entries(path, "questions"):
        question = _read_question(path, entry)
        if question.id in questions:
            raise _mistake(
                "two questions have this id",
                path,
                question.id,
                "Give each question an id that no other has",
            )
        known = history.facts if history else {}
        unknown = [
            fact
            for fact in (*question.needs, *question.stale)
            if history and fact not in known
        ]
        if unknown:
            raise _mistake(
                f"the history has no fact {unknown[0]}",
                path,
                question.id,
                "Name facts by the ids that they have in the history",
            )
        questions[question.id] = question
    return [each for each in questions.values() if half in ("", each.half)]


def questions_in_time(
    system: MemorySystem,
    turns: Iterable[Turn],
    questions: Sequence[Question],
) -> Iterator[Question]:
    """Give a system the turns in order, and yield each question at the time
    at which it is asked: of later turns the system knows nothing yet.
    """
    waiting = deque(sorted(turns, key=lambda turn: turn.at))
    for question in sorted(questions, key=lambda each: each.asked.at):
        while waiting and waiting[0].at <= question.asked.at:
            system.remember(waiting.popleft())
        yield question
    for turn in waiting:
        system.remember(turn)


def _read_session(
    path: Path,
    entry: Mapping[str, Any],
    facts: dict[str, Fact],
    replaces: dict[str, str],
    subjects: dict[str, str],
) -> Session:
    """Read one session, and add its facts to those before it."""
    name = str(entry.get("id", "a session without id"))
    with _naming_missing_keys(path, name):
        at = _time(path, name, entry["at"])
        turns = []
        for number, given in enumerate(entry["turns"], start=1):
            place = f"{name}, turn {number}"
            said_at = at + timedelta(minutes=number - 1)
            with _naming_missing_keys(path, place):
                who = _one_of(path, place, given["who"], SPEAKERS)
                text = given["text"]
                noted = given.get("facts") or ()
                said = [
                    _read_fact(path, place, one, said_at, text)
                    for one in noted
                ]
            for fact, one in zip(said, noted, strict=True):
                if fact.id in facts:
                    raise _mistake(
                        f"another fact has the id {fact.id}",
                        path,
                        place,
                        "Give each fact an id that no other has",
                    )
                facts[fact.id] = fact
                if one.get("replaces"):
                    replaces[fact.id] = one["replaces"]
                if one.get("subject"):
                    subjects[fact.id] = one["subject"]
            turns.append(Turn(name, number, said_at, who, text, tuple(said)))
        return Session(name, at, entry["title"], tuple(turns))


def _read_fact(
    path: Path, place: str, noted: Mapping[str, Any], at: datetime, turn: str
) -> Fact:
    """Read a fact, whose key has to be in the words of its turn."""
    fact = Fact(
        id=noted["id"],
        key=noted["key"],
        text=noted["text"],
        kind=_one_of(path, place, noted["kind"], KINDS),
        about=tuple(noted.get("about") or ()),
        at=at,
    )
    if fact.key not in turn or fact.key not in fact.text:
        raise _mistake(
            f"the key {fact.key!r} of {fact.id} is not in the turn and in the"
            " fact's text",
            path,
            place,
            "Choose a phrase that both have word for word",
        )
    return fact


def _read_question(path: Path, entry: Mapping[str, Any]) -> Question:
    name = str(entry.get("id", "a question without id"))
    # about a changing mind, now or then is all that is distinguished
    if entry.get("when"):
        usual = {"kind": "time" if entry["when"] == "then" else "changed"}
        entry = {"half": "work", "answer": "", **usual, **entry}
    with _naming_missing_keys(path, name):
        return Question(
            id=name,
            half=_one_of(path, name, entry["half"], HALVES),
            kind=_one_of(path, name, entry["kind"], QUESTION_KINDS),
            asked=Asked(entry["question"], _time(path, name, entry["at"])),
            needs=tuple(entry.get("needs") or ()),
            stale=tuple(entry.get("stale") or ()),
            answer=entry["answer"],
            forbidden=tuple(entry.get("forbidden") or ()),
            answer_any=tuple(entry.get("answer_any") or ()),
            when=entry.get("when", ""),
        )


def _check_keys(path: Path, facts: Mapping[str, Fact]) -> None:
    """Refuse a key that another fact has as well: scoring could not tell them
    apart.
    """
    texts = [(fact.id, fact.text) for fact in facts.values()]
    for fact in facts.values():
        for other, text in texts:
            if other != fact.id and fact.key in text:
                raise _mistake(
                    f"its key {fact.key!r} is in the text of {other} too",
                    path,
                    fact.id,
                    "Choose a phrase that only this fact has",
                )


def _entries(path: Path, name: str) -> list[Mapping[str, Any]]:
    """Return the list of this name in a file, or the file's only list."""
    import yaml

    # every value stays text; the loader in C is ten times faster
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        content = yaml.load(path.read_text(encoding="utf-8"), loader)
    except FileNotFoundError:
        raise MemlabError(
            "the file is missing",
            where=path,
            do="Start from a clone of the repository, which has it",
        ) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise MemlabError(
            f"this is no YAML: {error}", where=path, do="Correct that line"
        ) from error
    listed = content.get(name) if isinstance(content, dict) else content
    if not isinstance(listed, list) or not all(
        isinstance(each, dict) for each in listed
    ):
        raise MemlabError(
            f"it has no list of {name}",
            where=path,
            do=f"Write `{name}:` and the entries below it",
        )
    return listed


@contextmanager
def _naming_missing_keys(path: Path, place: str) -> Iterator[None]:
    """Name the entry that has a key too few."""
    try:
        yield
    except KeyError as error:
        raise _mistake(
            f"it has no {error.args[0]!r}", path, place, "Add it"
        ) from None


def _time(path: Path, place: str, text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise _mistake(
            f"{text!r} is no time",
            path,
            place,
            "Write it as 2026-03-16T09:00:00Z",
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _one_of(path: Path, place: str, text: str, known: tuple[str, ...]) -> str:
    if text not in known:
        raise _mistake(
            f"{text!r} is not known here",
            path,
            place,
            f"Choose from: {', '.join(known)}",
        )
    return text


def _mistake(what: str, path: Path, place: str, do: str) -> MemlabError:
    return MemlabError(what, where=f"{path.name}, {place}", do=do)
