"""The running example as it is read from ``data/example``: story, texts,
transcripts, questions.

Left out: judging any of it, which is ``example.py``'s work.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from memlab.errors import CourseError, MemoryFormatError
from memlab.memdir import frontmatter


@dataclass(frozen=True)
class Question:
    """One question of the scoreboard: answered when all ``evidence`` stands in
    a request.
    """

    id: str
    question: str
    evidence: tuple[str, ...]
    memory: str
    session: str
    why: str

    @property
    def needles(self) -> list[str]:
        """The evidence in lower case, since no case is told apart."""
        return [text.lower() for text in self.evidence]


@dataclass(frozen=True)
class Example:
    """Everything in an example's folder, as text or as parsed YAML and JSON."""

    folder: Path
    story: dict[str, Any]
    questions: tuple[Question, ...]
    mtimes: dict[str, str]
    memory: dict[str, str]
    repo: dict[str, str]
    sessions: dict[str, list[dict[str, Any]]]

    @cached_property
    def topics(self) -> dict[str, str]:
        """The memory files without the index."""
        return {
            name: text
            for name, text in self.memory.items()
            if name != "MEMORY.md"
        }

    @cached_property
    def heads(self) -> dict[str, dict[str, Any]]:
        """The frontmatter of each memory; empty where it does not parse."""
        return {name: _head(text) for name, text in self.topics.items()}

    @cached_property
    def entries(self) -> dict[str, dict[str, Any]]:
        """The story's sessions by file."""
        return {entry["file"]: entry for entry in self.story["sessions"]}

    def plants(self, kind: str) -> list[dict[str, Any]]:
        """Everything planted of one kind."""
        return [
            plant for plant in self.story["planted"] if plant["kind"] == kind
        ]

    def type_of(self, name: str) -> Any:
        """The type of a memory, at the top level or under ``metadata``."""
        head = self.heads.get(name, {})
        return head.get("type") or (head.get("metadata") or {}).get("type")

    def words(self, place: str, by: str | None = None) -> str:
        """Give the text of ``memory/…`` or ``sessions/…``, of one speaker
        where ``by`` is set.
        """
        if place.startswith("memory/"):
            return self.memory.get(place.removeprefix("memory/"), "")
        said = [
            pair
            for line in self.sessions.get(place, ())
            for pair in _speech(line)
        ]
        return "\n".join(text for who, text in said if by in (None, who))


def load_questions(folder: Path) -> tuple[Question, ...]:
    """Read ``questions.yaml`` of an example; raises CourseError when it cannot
    be used.
    """
    path = folder / "questions.yaml"
    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
        return tuple(
            Question(**{**item, "evidence": tuple(item["evidence"])})
            for item in raw
        )
    except (
        OSError,
        UnicodeDecodeError,
        yaml.YAMLError,
        KeyError,
        TypeError,
    ) as error:
        do = "Give each question id, question, evidence, memory, session, why"
        raise CourseError(
            f"cannot be read: {error}", where=path.name, do=do
        ) from error


def load_example(folder: Path) -> Example:
    """Read a whole example; raises CourseError naming the file that cannot be
    read.
    """
    path = folder
    try:
        story = yaml.safe_load(
            (path := folder / "story.yaml").read_text(encoding="utf-8")
        )
        mtimes = json.loads(
            (path := folder / "mtimes.json").read_text(encoding="utf-8")
        )
        memory = _texts(path := folder / "memory")
        repo = _texts(path := folder / "repo")
        sessions = {}
        for name, text in _texts(path := folder / "sessions").items():
            path = folder / "sessions" / name
            sessions[f"sessions/{name}"] = [
                json.loads(line) for line in text.splitlines()
            ]
    except (OSError, ValueError, yaml.YAMLError) as error:
        what = " ".join(str(error).split())
        raise CourseError(
            f"cannot be read: {what}", where=path.name, do="Repair it"
        ) from error
    return Example(
        folder, story, load_questions(folder), mtimes, memory, repo, sessions
    )


def blocks(line: dict[str, Any]) -> list[dict[str, Any]]:
    """The content blocks of a transcript line; a plain string counts as one
    text block.
    """
    content = line["message"]["content"]
    return (
        [{"type": "text", "text": content}]
        if isinstance(content, str)
        else content
    )


def _speech(line: dict[str, Any]) -> Iterator[tuple[str, str]]:
    speaker = "person" if line["type"] == "user" else "agent"
    for block in blocks(line):
        if block["type"] == "text":
            yield speaker, block["text"]
        elif block["type"] == "tool_result":
            yield "tool", block["content"]
        else:
            yield speaker, json.dumps(block["input"], ensure_ascii=False)


def _head(text: str) -> dict[str, Any]:
    try:
        return frontmatter.read(text, "").values
    except MemoryFormatError:
        return {}


def _texts(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
