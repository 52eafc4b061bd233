"""The labelled sets: what a case consists of, and how it is read from YAML.

The models check the form of a case: its keys, types, times and names. What a
set as a whole has to be (balanced halves, enough cases of each kind) is tested
in ``tests/unit/evals``. Whether a label is right, only a person can judge.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import yaml
from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from memlab.clock import to_nanoseconds
from memlab.errors import MemlabError
from memlab.memdir.memory import Memory, MemoryType, format_memory
from memlab.memdir.places import INDEX
from memlab.memdir.scan import MemoryHeader, scan_memory_files
from memlab.settings import Settings
from memlab.text import fold_space

LABELLED = Path(__file__).parents[2] / "data" / "labelled"
HALVES = ("work", "final")

# The loader written in C, where PyYAML has it, is ten times as fast.
_YAML = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DO = "Keep to the form in the folder's README.md."


class LabelError(MemlabError):
    """A file of a labelled set is missing, or not of the form it must have."""


# Reading


class Labelled(BaseModel):
    """What every part of a labelled set has in common: no key is unknown,
    nothing changes.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")


Model = TypeVar("Model", bound=Labelled)


def load_cases(path: Path, model: type[Model]) -> tuple[Model, ...]:
    """Read the cases of a YAML file; raises LabelError, which names file, case
    and key.
    """
    items = read_yaml(path)
    if not isinstance(items, list):
        raise LabelError("not a list of cases", where=path, do=_DO)
    cases = []
    for number, item in enumerate(items, 1):
        name = item.get("id", number) if isinstance(item, dict) else number
        cases.append(parse(model, item, f"{path.name}, case {name}"))
    return tuple(cases)


def load_folder(folder: Path, model: type[Model]) -> tuple[Model, ...]:
    """Read the cases of every YAML file in a folder, in the order of the file
    names.
    """
    _check_clone(folder)
    paths = sorted(folder.glob("*.yaml"))
    if not paths:
        raise LabelError("no cases", where=folder, do=_DO)
    return tuple(case for path in paths for case in load_cases(path, model))


def read_yaml(path: Path) -> Any:
    """Read a YAML file; raises LabelError."""
    _check_clone(path)
    try:
        return yaml.load(path.read_text(encoding="utf-8"), Loader=_YAML)
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise LabelError(
            f"cannot be read: {error}", where=path, do=_DO
        ) from error


def _check_clone(path: Path) -> None:
    """Raise LabelError if a path leads to the labelled sets, and memlab was
    installed without them.
    """
    if path.is_relative_to(LABELLED) and not LABELLED.is_dir():
        raise LabelError(
            "the labelled cases are missing, because they belong to the"
            " repository and not to the package",
            where="data/labelled",
            do="Clone the course's repository and run the command there",
        )


def parse(model: type[Model], item: object, where: object) -> Model:
    """Make a model of what YAML gave; raises LabelError."""
    try:
        return model.model_validate(item)
    except ValidationError as error:
        problems = [_describe(problem) for problem in error.errors()]
        raise LabelError("; ".join(problems), where=where, do=_DO) from None


def _describe(problem: Mapping[str, Any]) -> str:
    """Say which key is wrong, and what it has to be."""
    message = str(problem["msg"]).removeprefix("Value error, ")
    given = problem["input"]
    if problem["type"] == "extra_forbidden":
        message = "this key is unknown"
    elif problem["type"] == "missing":
        message = "this key is missing"
    elif not isinstance(given, Mapping | BaseModel):
        message += f", not {given!r:.80}"
    key = ".".join(map(str, problem["loc"]))
    return f"{key}: {message}" if key else message


def read_directory(directory: Path) -> dict[str, bytes]:
    """Read every file below a directory, by its relative path."""
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def newest_first(header: MemoryHeader) -> tuple[int, str]:
    """Return the key that sorts headers as a scan does: the newest file first,
    then by name.
    """
    return -to_nanoseconds(header.mtime), header.filename


# What texts have to be


def _written(value: object) -> object:
    """Refuse a number, which pydantic would take for seconds since 1970."""
    if isinstance(value, int | float):
        raise ValueError(
            "must be written as 2026-03-30T09:00:00Z, or as 2026-03-30"
        )
    return value


def _utc(moment: datetime) -> datetime:
    if moment.utcoffset() != UTC.utcoffset(None):
        raise ValueError("the time must be in UTC, as 2026-03-30T09:00:00Z")
    return moment.astimezone(UTC)


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text


def _sentence(text: str) -> str:
    if not text.strip().endswith(".") or "\n" in text.strip():
        raise ValueError("must be a sentence on one line, with a full stop")
    return text


def _one_line(text: str) -> str:
    most = Settings().manifest_description_characters
    if not text.strip() or len(text.splitlines()) > 1 or len(text) > most:
        raise ValueError(f"must be one line of at most {most} characters")
    return text


def _phrase(text: str) -> str:
    if "" in alternatives(text):
        raise ValueError("must not be empty, nor have an empty alternative")
    return text


def _file_name(text: str) -> str:
    if not re.fullmatch(r"[\w./-]+\.md", text) or INDEX in text:
        raise ValueError("must be the name of a memory file")
    return text


Day = Annotated[date, BeforeValidator(_written)]
Half = Literal["work", "final"]
Role = Literal["person", "agent", "tool"]
Moment = Annotated[
    AwareDatetime, BeforeValidator(_written), AfterValidator(_utc)
]
Text = Annotated[str, AfterValidator(_not_blank)]
Sentence = Annotated[str, AfterValidator(_sentence)]
Line = Annotated[str, AfterValidator(_one_line)]
FileName = Annotated[str, AfterValidator(_file_name)]
ToolName = Annotated[str, Field(pattern=r"^mcp__[a-z0-9]+__[a-z0-9_]+$")]
Phrase = Annotated[str, AfterValidator(_phrase)]
"""What a memory has to contain; alternatives are separated by `` | ``."""
Phrases = Annotated[tuple[Phrase, ...], Field(min_length=1)]


def contains(text: str, phrase: str) -> bool:
    """Say whether a text contains a label's phrase, or one of its
    alternatives.

    Case, the width of white space and the form of accents do not count.
    """
    folded = _folded(text)
    return any(
        _folded(alternative) in folded for alternative in alternatives(phrase)
    )


def contains_all(text: str, phrases: Iterable[str]) -> bool:
    """Say whether a text contains every phrase of a label."""
    return all(contains(text, phrase) for phrase in phrases)


def alternatives(phrase: str) -> list[str]:
    """Return the alternatives of a label's phrase."""
    return [alternative.strip() for alternative in phrase.split(" | ")]


def _folded(text: str) -> str:
    return fold_space(unicodedata.normalize("NFC", text)).casefold()


# Recall


class Entry(Labelled):
    """An invented memory, and what no method of choosing may look at.

    ``documents`` names the tool whose use the memory describes,
    ``warns_about`` the tool whose trap it describes.
    """

    file: FileName
    name: Text
    description: Line
    mtime: Moment
    type: MemoryType | None = None
    body: str = ""
    documents: ToolName = ""
    warns_about: ToolName = ""


class DirectoryFile(Labelled):
    """The YAML file of a directory: invented ``entries``, or the path of a
    real ``memory``.
    """

    what: str
    person: str
    now: Moment
    entries: tuple[Entry, ...] = ()
    memory: str = ""
    mtimes: str = ""

    @model_validator(mode="after")
    def _entries_or_memory(self) -> DirectoryFile:
        if bool(self.entries) == bool(self.memory and self.mtimes):
            raise ValueError("needs either entries, or memory and mtimes")
        return self


class BetterDescriptions(Labelled):
    """Descriptions to try in place of vague ones, by file."""

    directory: str
    descriptions: dict[str, Line]


class RecallCase(Labelled):
    """A query, the tools used just before it, and the files that should be
    chosen for it.

    ``tempting`` files are wrong and look right; ``language`` is set where the
    query is in another language than the memories.
    """

    id: str
    directory: str
    query: Text
    recent_tools: tuple[str, ...]
    relevant: Annotated[
        frozenset[str], Field(max_length=Settings().select_max_memories)
    ]
    tempting: frozenset[str] = frozenset()
    kind: Literal[
        "direct",
        "gotcha",
        "multi",
        "near-miss",
        "no-answer",
        "other-language",
        "paraphrase",
        "stop-word-trap",
        "tool-in-use",
    ]
    half: Half
    language: Literal["de", "es", "fr"] | None = None
    reason: Sentence


@dataclass(frozen=True)
class Directory:
    """A memory directory to choose from; ``headers`` are newest first, as a
    scan gives them.
    """

    now: datetime
    headers: tuple[MemoryHeader, ...]
    entries: Mapping[str, Entry]


@dataclass(frozen=True)
class RecallSet:
    """The labelled set of recall."""

    directories: Mapping[str, Directory]
    cases: tuple[RecallCase, ...]
    better: BetterDescriptions

    @property
    def headers(self) -> dict[str, tuple[MemoryHeader, ...]]:
        """The headers of each directory."""
        return {
            name: directory.headers
            for name, directory in self.directories.items()
        }

    def half(self, half: str) -> tuple[RecallCase, ...]:
        """Return the cases of ``work`` or ``final``."""
        return tuple(case for case in self.cases if case.half == half)

    def better_headers(self) -> tuple[MemoryHeader, ...]:
        """Return the headers of the directory whose vague descriptions are
        replaced.
        """
        lines = self.better.descriptions
        return tuple(
            replace(
                header,
                description=lines.get(header.filename, header.description),
            )
            for header in self.directories[self.better.directory].headers
        )


def load_recall_set(folder: Path = LABELLED / "select") -> RecallSet:
    """Read the labelled set of recall; raises LabelError.

    The paths of invented memories lead nowhere.
    """
    cases, better = folder / "cases.yaml", folder / "better_descriptions.yaml"
    named = sorted(
        path for path in folder.glob("*.yaml") if path not in (cases, better)
    )
    return RecallSet(
        directories={path.stem: _directory(path) for path in named},
        cases=load_cases(cases, RecallCase),
        better=parse(BetterDescriptions, read_yaml(better), better.name),
    )


def _directory(path: Path) -> Directory:
    file = parse(DirectoryFile, read_yaml(path), path.name)
    if file.memory:
        headers = _real_headers(
            path.parent / file.memory, path.parent / file.mtimes
        )
    else:
        headers = [
            MemoryHeader(
                path=path.with_suffix("") / entry.file,
                filename=entry.file,
                mtime=entry.mtime,
                name=entry.name,
                description=entry.description,
                type=entry.type,
            )
            for entry in file.entries
        ]
    headers.sort(key=newest_first)
    return Directory(
        file.now, tuple(headers), {entry.file: entry for entry in file.entries}
    )


def _real_headers(memory: Path, mtimes: Path) -> list[MemoryHeader]:
    """Scan a directory and give each header the time it has in the story: Git
    keeps none.
    """
    try:
        times = json.loads(mtimes.read_text(encoding="utf-8"))
        return [
            replace(
                header,
                mtime=datetime.fromisoformat(
                    times[f"memory/{header.filename}"]
                ),
            )
            for header in scan_memory_files(memory)
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LabelError(
            f"no time for each memory: {error}", where=mtimes, do=_DO
        ) from error


# Extraction


class LabelledMemory(Labelled):
    """A memory file as far as a label goes: one that is there already, or one
    that was stored.
    """

    file: str
    name: str
    description: str
    type: str | None
    body: str

    @property
    def text(self) -> str:
        """Name, description and body: where a label's phrases are looked for."""
        return "\n".join((self.name, self.description, self.body))


class ToolCall(Labelled):
    """A call of a tool."""

    name: Literal["Bash", "Edit", "Glob", "Grep", "Read", "Write"]
    input: Annotated[dict[str, Any], Field(min_length=1)]


class Turn(Labelled):
    """What the person or the agent says, or a call of a tool: ``text`` is then
    its result.

    A turn without a time has that of the next one.
    """

    role: Role
    text: str
    at: Moment | None = None
    tool: ToolCall | None = None

    @model_validator(mode="after")
    def _tool_or_words(self) -> Turn:
        if (self.role == "tool") != (self.tool is not None):
            raise ValueError("a tool's turn, and no other, has a tool")
        if self.role != "tool" and not self.text.strip():
            raise ValueError("the turn says nothing")
        return self


class Counted(Labelled):
    """The words of a relative time, its days from the day it counts from, and
    its weekday.
    """

    words: Text
    days: StrictInt
    weekday: str


class Must(Labelled):
    """Something that has to be stored, and how to recognise it.

    The memory has to contain every phrase of ``says``, and ``date`` in ISO
    form; ``counted`` repeats that date, worked out by hand. ``updates`` names
    the file that has to change, where a new one would be a duplicate.
    """

    type: MemoryType
    says: Phrases
    date: Day | None = None
    counted: Counted | None = None
    updates: str | None = None

    @model_validator(mode="after")
    def _date_is_counted(self) -> Must:
        if (self.date is None) != (self.counted is None):
            raise ValueError("a date, and nothing else, needs to be counted")
        return self


class MustNot(Labelled):
    """Something that may not be stored: a memory that contains every phrase of
    ``says``.
    """

    says: Phrases
    reason: str


class Dialogue(Labelled):
    """A few turns of a session, the memories there already, and what is to be
    stored of them.
    """

    id: str
    half: Half
    kind: str
    project: str
    at: Moment
    turns: Annotated[tuple[Turn, ...], Field(min_length=2, max_length=8)]
    reason: Sentence
    must: tuple[Must, ...]
    must_not: tuple[MustNot, ...]
    existing: tuple[LabelledMemory, ...] = ()
    claude_md: str = ""

    @property
    def times(self) -> tuple[datetime, ...]:
        """The time of each turn."""
        at = self.at
        times = []
        for turn in reversed(self.turns):
            at = turn.at or at
            times.append(at)
        return tuple(reversed(times))

    @model_validator(mode="after")
    def _is_a_conversation(self) -> Dialogue:
        roles = "".join(turn.role[0] for turn in self.turns)
        if not re.fullmatch(r"(pt*a(t+a)*)+", roles):
            raise ValueError(
                "person and agent must take turns, and the agent must end"
            )
        if any(later < earlier for earlier, later in pairwise(self.times)):
            raise ValueError("a turn is older than the one before it")
        if self.times[-1] != self.at:
            raise ValueError("the last turn must have the dialogue's time")
        return self


class Attempt(Dialogue):
    """A text that poses as the person's wish, by ``where`` it is and the
    ``trick`` it uses.

    ``twin_of`` names the attempt that this one repeats with a person who
    agrees. In YAML, ``must_not`` is a list of texts.
    """

    kind: str = "attempt"
    where: Literal[
        "tool result",
        "file content",
        "web page",
        "commit message",
        "code comment",
        "issue text",
        "file name",
        "quoted by person",
        "pasted log",
        "memory already there",
    ]
    trick: Literal[
        "remember-that",
        "user-prefers",
        "fake-reminder",
        "fake-frontmatter",
        "imitated-voice",
        "agent-repeats",
        "other-language",
        "base64",
    ]
    twin_of: str | None = None

    @field_validator("must_not", mode="before")
    @classmethod
    def _texts(cls, texts: object, info: ValidationInfo) -> object:
        if not isinstance(texts, Sequence) or isinstance(texts, str):
            return texts
        return [
            {"says": [text], "reason": info.data.get("reason", "")}
            for text in texts
        ]

    @model_validator(mode="after")
    def _has_its_text(self) -> Attempt:
        if self.twin_of is not None and not self.must:
            raise ValueError("a twin needs a label: the person agrees")
        if self.twin_of is None and not self.must_not:
            raise ValueError("an attempt needs a text that may not be stored")
        return self


def load_dialogues(
    folder: Path = LABELLED / "extract",
) -> tuple[Dialogue, ...]:
    """Read the labelled dialogues; raises LabelError."""
    return load_folder(folder / "dialogues", Dialogue)


def load_poison(folder: Path = LABELLED / "extract") -> tuple[Attempt, ...]:
    """Read the attempts at poisoning and their twins; raises LabelError."""
    return load_cases(folder / "poison.yaml", Attempt)


# Dreaming


class OldMemory(LabelledMemory):
    """A memory before the dream, with the time its file was last written."""

    type: MemoryType
    mtime: Moment

    @property
    def content(self) -> bytes:
        """The bytes of its file."""
        memory = Memory(self.name, self.description, self.type, self.body)
        return format_memory(memory).encode()


class Log(Labelled):
    """A day's log; a dream reads it and does not change it."""

    file: str
    mtime: Moment
    text: str


class Said(Labelled):
    """One message of a session; ``tool`` is the tool that was called."""

    at: Moment
    role: Role
    text: str
    tool: str = ""


class PastSession(Labelled):
    """A session since the last dream; its transcript was last written with its
    last message.
    """

    id: str
    messages: Annotated[tuple[Said, ...], Field(min_length=1)]


class DeadPointers(Labelled):
    """Pointers below the index to files that do not exist; ``{n}`` counts from
    1.
    """

    count: StrictInt
    title: str
    file: str
    hook: str


class Merge(Labelled):
    """Files that have to become one of them."""

    files: Annotated[tuple[str, ...], Field(min_length=2)]


class Drop(Labelled):
    """A memory that has to go, and with it the statement that contains every
    phrase of ``says``.
    """

    file: str
    says: Phrases
    reason: str


class Keep(Labelled):
    """A fact that one memory has to contain after the dream; ``file``, if that
    is given.
    """

    says: Phrases
    file: str = ""


class Settled(Labelled):
    """A contradiction: what one of ``files`` has to say, and what no memory
    may say any more.
    """

    files: tuple[str, ...]
    says: Phrases
    gone: Phrases
    reason: str


class Absolute(Labelled):
    """A relative time in ``files`` that has to become a date, beside the
    phrases of ``says``.

    ``since`` is the day it counts from; ``counted`` repeats the date, worked
    out by hand.
    """

    files: tuple[str, ...]
    says: Phrases
    date: Day
    since: Day
    counted: Counted


class DreamCase(Labelled):
    """A memory directory before a dream, and the conditions of the one after
    it.

    ``may_go`` names files whose removal is neither required nor wrong. With
    ``unchanged`` every byte has to stay. ``index`` is the text of MEMORY.md;
    without it each memory has a pointer, the newest on top.
    """

    id: str
    half: Half
    kind: Literal[
        "duplicates",
        "contradiction",
        "session",
        "dates",
        "stale",
        "index",
        "nothing",
        "hostile",
        "mixed",
    ]
    project: str
    now: Moment
    last_dream: Moment
    memories: tuple[OldMemory, ...]
    sessions: tuple[PastSession, ...]
    reason: str
    index: str | None = None
    index_dead: DeadPointers | None = None
    logs: tuple[Log, ...] = ()
    must_merge: tuple[Merge, ...] = ()
    must_drop: tuple[Drop, ...] = ()
    must_keep: tuple[Keep, ...] = ()
    settled: tuple[Settled, ...] = ()
    must_be_absolute: tuple[Absolute, ...] = ()
    must_not_say: tuple[MustNot, ...] = ()
    index_keeps: tuple[str, ...] = ()
    untouched: tuple[str, ...] = ()
    may_go: tuple[str, ...] = ()
    unchanged: StrictBool = False

    @property
    def files(self) -> dict[str, bytes]:
        """The memory directory before the dream: file names and bytes, with
        the index.
        """
        files = {memory.file: memory.content for memory in self.memories}
        files |= {log.file: log.text.encode() for log in self.logs}
        return files | {INDEX: self._index().encode()}

    @property
    def mtimes(self) -> dict[str, datetime]:
        """When each file was last written; the index with its newest memory."""
        times = {memory.file: memory.mtime for memory in self.memories}
        times |= {log.file: log.mtime for log in self.logs}
        return times | {INDEX: max(memory.mtime for memory in self.memories)}

    def _index(self) -> str:
        text = self.index
        if text is None:
            newest = sorted(
                self.memories, key=lambda memory: (memory.mtime, memory.file)
            )
            text = "".join(
                f"- [{memory.name}]({memory.file}) — {memory.description}\n"
                for memory in reversed(newest)
            )
        if self.index_dead is not None:
            dead = self.index_dead
            for n in range(1, dead.count + 1):
                title = dead.title.replace("{n}", f"{n:03}")
                file = dead.file.replace("{n}", f"{n:03}")
                text += f"- [{title}]({file}) — {dead.hook}\n"
        return text


def load_dreams(folder: Path = LABELLED / "dream") -> tuple[DreamCase, ...]:
    """Read the labelled dreams; raises LabelError."""
    return load_folder(folder, DreamCase)


# Secrets


def _without_marker(text: object) -> object:
    """Remove the dots that keep other scanners from taking a case for a leak."""
    return text.replace(MARKER, "") if isinstance(text, str) else text


MARKER = "·"
Unmarked = Annotated[Text, BeforeValidator(_without_marker)]


class SecretCase(Labelled):
    """A short text that contains one secret, and what sort of secret it is."""

    id: str
    half: Half
    text: Unmarked
    secret: Unmarked
    kind: Text

    @model_validator(mode="after")
    def _secret_is_there_once(self) -> SecretCase:
        if self.text.count(self.secret) != 1:
            raise ValueError("the secret must be in the text exactly once")
        return self


class OrdinaryText(Labelled):
    """A short text without a secret, such as a team may well keep."""

    id: str
    half: Half
    text: Text


def load_secrets(
    folder: Path = LABELLED / "secrets",
) -> tuple[SecretCase, ...]:
    """Read the texts that contain a secret; raises LabelError."""
    return load_cases(folder / "secrets.yaml", SecretCase)


def load_ordinary(
    folder: Path = LABELLED / "secrets",
) -> tuple[OrdinaryText, ...]:
    """Read the texts that contain none; raises LabelError."""
    return load_cases(folder / "ordinary.yaml", OrdinaryText)


# Following


class Note(Labelled):
    """The memory that a case is about."""

    file: FileName
    name: Text
    description: Line
    type: MemoryType
    modified: Moment
    body: Text


class Screen(Labelled):
    """What is on screen: a file, or a command with its output."""

    file: Text
    text: Text


class ToolAnswer(Labelled):
    """An answer that is a call of a tool."""

    tool: Literal["Bash", "Edit", "Write"]
    input: Annotated[dict[str, str], Field(min_length=1)]


CheckKind = Literal[
    "contains",
    "lacks",
    "matches",
    "lacks_match",
    "starts_with",
    "ends_with",
    "max_lines",
    "tool",
    "no_tool",
    "file_untouched",
]


class Check(Labelled):
    """One thing that code looks for in an answer.

    In YAML, it is a mapping of the kind to what is wanted, with ``in: code``
    where only the code of the answer counts.
    """

    kind: CheckKind
    wanted: Text
    inside: Literal["answer", "code"] = "answer"

    @model_validator(mode="before")
    @classmethod
    def _from_yaml(cls, check: object) -> object:
        if not isinstance(check, Mapping):
            return check
        kinds = [key for key in check if key != "in"]
        if len(kinds) != 1:
            raise ValueError("a check has one key, and perhaps in: code")
        return {
            "kind": kinds[0],
            "wanted": str(check[kinds[0]]),
            "inside": check.get("in", "answer"),
        }

    @model_validator(mode="after")
    def _can_be_applied(self) -> Check:
        if self.kind in ("matches", "lacks_match"):
            try:
                re.compile(self.wanted)
            except re.error as error:
                raise ValueError(f"not a pattern: {error}") from None
        if self.kind == "max_lines" and not self.wanted.isdecimal():
            raise ValueError("max_lines must be a whole number")
        return self

    def __str__(self) -> str:
        where = " in the code" if self.inside == "code" else ""
        return f"{self.kind}: {self.wanted}{where}"


class FollowCase(Labelled):
    """A memory, a task, and how code sees whether the answer follows the
    memory.

    ``follow`` says whether that would be right; ``wrong_because`` says why
    not. All checks of ``complies`` hold if, and only if, the memory was
    followed.
    """

    id: str
    half: Half
    reason: Sentence
    memory: Note
    now: Moment
    message: Text
    follow: StrictBool
    complies: Annotated[tuple[Check, ...], Field(min_length=1)]
    good: Text | ToolAnswer
    bad: Text | ToolAnswer
    screen: Screen | None = None
    tools: tuple[Literal["Bash", "Edit", "Write"], ...] = ()
    wrong_because: (
        Literal["out-of-date", "out-of-scope", "contradicted"] | None
    ) = None

    @model_validator(mode="after")
    def _is_labelled(self) -> FollowCase:
        if self.follow == (self.wrong_because is not None):
            raise ValueError("wrong_because is given where follow is false")
        if self.memory.modified >= self.now:
            raise ValueError("the memory is newer than the message")
        return self


def load_follow(folder: Path = LABELLED / "follow") -> tuple[FollowCase, ...]:
    """Read the labelled set of following; raises LabelError."""
    return load_cases(folder / "cases.yaml", FollowCase)
