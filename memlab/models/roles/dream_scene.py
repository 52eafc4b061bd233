"""What a dreamer by rules has before it: the message that started it, and what
its tools gave.

Everything is read from the request anew, so the dreamer keeps nothing between
two answers. Left out: judging any of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

from memlab.memdir.index import INDEX
from memlab.models.request import ModelRequest
from memlab.models.roles.dream_words import sentences
from memlab.models.roles.extract_heard import own_words
from memlab.text import as_blocks, block_text

MOST_LOGS = 7

_ISO = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z"
_TITLE = "# Put the memory in order"
_SECTIONS = re.compile(
    r"\n## Memories\n(.*)\n## Sessions since the last consolidation\n(.*)\Z",
    re.S,
)
_NOTE = re.compile(rf"- (?:\[\w+\] )?(?P<file>.+?\.md) \((?P<at>{_ISO})\):.*")
_SESSION = re.compile(rf"- (?P<path>.+\.jsonl) \({_ISO}\)")
_LINE = re.compile(r" *(\d+)\t(.*)")
_HIT = re.compile(r"(?P<path>.+?\.jsonl):(?P<line>\d+):")
_REMINDER = re.compile(
    r"<system-reminder>(?:(?!<system-reminder>).)*?</system-reminder>", re.S
)
_LOGGED = re.compile(
    r"\s*[-*]\s+(?:(?P<hour>\d\d):(?P<minute>\d\d)\s+)?(?:[\w ]{1,30}:"
    r" )?(?P<text>.+)"
)


@dataclass(frozen=True)
class Step:
    """One call of a tool, and what came of it."""

    name: str
    given: Mapping[str, Any]
    result: str
    failed: bool

    @property
    def path(self) -> str:
        """The file or folder it was about, "" if none."""
        return str(self.given.get("file_path") or self.given.get("path") or "")

    @property
    def writes(self) -> bool:
        """Whether the call was to change something."""
        return self.name in ("Edit", "Write")


@dataclass(frozen=True)
class Statement:
    """A sentence of a person or of a day's log: what it says, what came just
    before, and when.
    """

    text: str
    before: str
    at: datetime
    source: str


@dataclass(frozen=True)
class Scene:
    """The message that started the dream, taken apart, and the steps since."""

    directory: str
    mtimes: Mapping[str, datetime]
    sessions: tuple[str, ...]
    last: datetime | None
    now: datetime
    line_characters: int
    steps: tuple[Step, ...]

    @cached_property
    def files(self) -> tuple[str, ...]:
        """The memory files that are there, by name from the memory directory
        on, sorted.
        """
        found = {
            *self._listed(self.directory),
            *(self.mtimes if self.steps else ()),
        }
        return tuple(
            sorted(
                one
                for one in found
                if one != INDEX and not one.startswith("logs/")
            )
        )

    @property
    def listed_whole(self) -> bool:
        """Whether the directory's listing came without a note that there is
        more.
        """
        globs = [
            one
            for one in self.steps
            if one.name == "Glob" and one.path == self.directory
        ]
        return bool(globs) and not any(
            re.search(r"^\[", one.result, re.M) for one in globs
        )

    @cached_property
    def logs(self) -> tuple[str, ...]:
        """The newest daily logs since the last dream."""
        found = {
            f"logs/{one}" for one in self._listed(f"{self.directory}/logs")
        }
        found |= {
            one
            for one in self._listed(self.directory)
            if one.startswith("logs/")
        }
        since = f"{self.last:%Y-%m-%d}" if self.last else ""
        fresh = [
            one for one in found if re.search(r"\d{4}-\d\d-\d\d\.md$", one)
        ]
        return tuple(
            one for one in sorted(fresh)[-MOST_LOGS:] if one[-13:-3] >= since
        )

    @cached_property
    def unwritten(self) -> tuple[Step, ...]:
        """The steps before the first write: what they show is the memory as it
        was.
        """
        first = next(
            (n for n, step in enumerate(self.steps) if step.writes),
            len(self.steps),
        )
        return self.steps[:first]

    def place(self, file: str) -> str:
        """Give the path of a file of the memory directory."""
        return f"{self.directory}/{file}"

    def text(self, file: str) -> str | None:
        """Give a file's text as it was first read; None if it was not seen
        whole.
        """
        return _whole(
            [step for step in self.unwritten if step.path == self.place(file)]
        )

    def index_now(self) -> str | None:
        """Give the index as it was read last, after any write; None if it was
        not.
        """
        wrote = [n for n, step in enumerate(self.steps) if step.writes]
        later = self.steps[wrote[-1] + 1 :] if wrote else self.steps
        return _whole(
            [step for step in later if step.path == self.place(INDEX)]
        )

    def asked(self, name: str, path: str = "") -> bool:
        """Tell whether a tool was called before any write, on that path if one
        is given.
        """
        return any(
            step.name == name and path in ("", step.path)
            for step in self.unwritten
        )

    @property
    def hits(self) -> tuple[tuple[str, int], ...]:
        """The lines of transcripts that a search found: file and line."""
        out = "\n".join(
            one.result
            for one in self.steps
            if one.name == "Grep" and not one.failed
        )
        found = filter(None, map(_HIT.match, out.splitlines()))
        return tuple(
            dict.fromkeys((one["path"], int(one["line"])) for one in found)
        )

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """What persons said in the lines that were read, and what the logs
        say, oldest first.
        """
        found = [*self._said(), *self._logged()]
        return tuple(sorted(found, key=lambda one: (one.at, one.source)))

    def _listed(self, folder: str) -> list[str]:
        globs = [
            one
            for one in self.steps
            if one.name == "Glob" and one.path == folder
        ]
        lines = [
            line
            for one in globs
            if not one.failed
            for line in one.result.splitlines()
        ]
        start = f"{folder}/"
        return [
            line.removeprefix(start)
            for line in lines
            if line.startswith(start)
        ]

    def _said(self) -> Iterator[Statement]:
        for step in self.unwritten:
            if (
                step.name == "Read"
                and step.path.endswith(".jsonl")
                and not step.failed
            ):
                for line in _lines(step.result).values():
                    at, text = _message(line)
                    if at:
                        yield from _each(own_words(text), at, step.path)

    def _logged(self) -> Iterator[Statement]:
        for file in self.logs:
            day = datetime.fromisoformat(f"{file[-13:-3]}T00:00:00+00:00")
            for line in (self.text(file) or "").splitlines():
                if found := _LOGGED.fullmatch(line):
                    hour, minute = (
                        int(found["hour"] or 23),
                        int(found["minute"] or 59),
                    )
                    at = day + timedelta(hours=hour, minutes=minute)
                    yield from _each(found["text"], at, file)


def read_scene(request: ModelRequest) -> Scene | None:
    """Take a request apart; None where nothing in it starts a dream."""
    prompts = [
        n for n, one in enumerate(request.messages) if _TITLE in _typed(one)
    ]
    if not prompts:
        return None
    text = _typed(request.messages[prompts[-1]])
    parts = _SECTIONS.search(text)
    directory = re.search(r"^- Memory directory: `(.+)`$", text, re.M)
    now = re.search(rf"^- Now: ({_ISO})$", text, re.M)
    if not (parts and directory and now):
        return None
    notes = filter(None, map(_NOTE.fullmatch, parts[1].splitlines()))
    listed = filter(None, map(_SESSION.fullmatch, parts[2].splitlines()))
    last = re.search(rf"^- Last consolidation: ({_ISO})", text, re.M)
    limit = re.search(r"; a line at most (\d+) characters", text)
    return Scene(
        directory=directory[1].rstrip("/"),
        mtimes={one["file"]: _moment(one["at"]) for one in notes},
        sessions=tuple(one["path"] for one in listed),
        last=_moment(last[1]) if last else None,
        now=_moment(now[1]),
        line_characters=int(limit[1]) if limit else 200,
        steps=tuple(_steps(request.messages[prompts[-1] + 1 :])),
    )


def _typed(message: Mapping[str, Any]) -> str:
    if message["role"] != "user":
        return ""
    blocks = as_blocks(message["content"])
    return "\n".join(
        block_text(one) for one in blocks if one["type"] == "text"
    ).strip()


def _steps(messages: Sequence[Mapping[str, Any]]) -> Iterator[Step]:
    blocks = [
        one for message in messages for one in as_blocks(message["content"])
    ]
    results = {
        one["tool_use_id"]: one
        for one in blocks
        if one["type"] == "tool_result"
    }
    for call in blocks:
        if call["type"] == "tool_use" and (result := results.get(call["id"])):
            failed = bool(result.get("is_error"))
            yield Step(call["name"], call["input"], block_text(result), failed)


def _lines(result: str) -> dict[int, str]:
    """Give the numbered lines of a Read by number."""
    found = filter(None, map(_LINE.fullmatch, result.split("\n")))
    return {int(one[1]): one[2] for one in found}


def _whole(reads: Sequence[Step]) -> str | None:
    """Put the parts of a file together; None if one failed, or a line or an
    end is missing.
    """
    lines: dict[int, str] = {}
    for step in reads:
        if step.name != "Read" or step.failed:
            return None
        lines |= _lines(step.result)
        if re.search(r"\t.*… \[line cut\]$", step.result, re.M):
            return None
    more = (
        re.search(r"^\[(\d+) lines in all; read on", reads[-1].result, re.M)
        if reads
        else None
    )
    if not lines or more or sorted(lines) != list(range(1, len(lines) + 1)):
        return None
    return "\n".join(lines[number] for number in sorted(lines)) + "\n"


def read_on(reads: Sequence[Step]) -> int:
    """Give the line at which the rest of a long file begins; 0 if it was read
    to its end.
    """
    more = re.search(
        r"^\[\d+ lines in all; read on with offset (\d+)\]",
        reads[-1].result,
        re.M,
    )
    return int(more[1]) if more else 0


def _message(line: str) -> tuple[datetime | None, str]:
    """Read a line of a transcript: when a person said it, and what; None for
    anything else.
    """
    try:
        told = json.loads(line)
        if (
            told.get("type") != "user"
            or told.get("isSidechain")
            or told.get("isMeta")
        ):
            return None, ""
        content, at = told["message"]["content"], _moment(told["timestamp"])
        blocks = [
            one for one in as_blocks(content) if one.get("type") == "text"
        ]
    except (ValueError, KeyError, TypeError, AttributeError):
        return None, ""
    return at, _REMINDER.sub(" ", "\n".join(map(block_text, blocks)))


def _each(text: str, at: datetime, source: str) -> Iterator[Statement]:
    before = ""
    for sentence in sentences(text):
        yield Statement(sentence, before, at, source)
        before = sentence


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(UTC)
