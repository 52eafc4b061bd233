"""The files of this course, as one system among the others: real memory files
in a directory, with index and journal.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path

from memlab.clock import CourseClock
from memlab.evidence.origin import Origin, Stamp
from memlab.evidence.sentences import sentences_of
from memlab.landscape.asking import Asks, cost_of
from memlab.landscape.rules import Relation, share
from memlab.landscape.system import Asked, Cost, Fact, Turn
from memlab.landscape.vectors import Embedder
from memlab.memdir.dates import find_relative_times
from memlab.memdir.instructions import read_index
from memlab.memdir.memory import Memory, MemoryType, format_memory
from memlab.memdir.names import file_name
from memlab.memdir.rules import check
from memlab.memdir.scan import (
    MemoryHeader,
    format_manifest,
    scan_memory_files,
)
from memlab.memdir.store import MemoryStore
from memlab.prompts import SHIPPED
from memlab.prompts.blocks import block
from memlab.recall.attach import Surfaced, surface
from memlab.recall.keyword import KeywordIndex
from memlab.recall.selection import choose, selection_request
from memlab.settings import Settings
from memlab.text import STOP_WORDS, request_text, shorten, words

TYPES = {
    "opinion": MemoryType.feedback,
    "experience": MemoryType.user,
    "world": MemoryType.project,
    "observation": MemoryType.project,
}
"""The type of the memory that a fact of each kind goes to."""

PERSON = "Robin"

SHOWN_AS = "~/memory"
"""How a prompt names the directory, wherever it is."""

START = datetime(2026, 1, 1, tzinfo=UTC)
"""When the clock of the store begins, before any history."""

TITLE_WORDS, TITLE_CHARACTERS = 4, 50
"""How long the name of a memory gets."""

LINES = 12
"""Facts in one file; with more, a new file on the topic is begun."""


@dataclass(frozen=True)
class _Line:
    """One fact in a file, and the day on which it was said."""

    text: str
    day: date

    def __str__(self) -> str:
        return f"{self.text} ({self.day})"


@dataclass(frozen=True)
class _Topic:
    """One memory file: what its facts are about, and its lines, oldest
    first.
    """

    about: frozenset[str]
    type: MemoryType
    name: str
    lines: tuple[_Line, ...] = ()

    def memory(self) -> Memory:
        """Write the topic as a memory; the newest fact describes it."""
        # the line in the index has the name, the file's name and this
        room = Settings().index_line_characters - 2 * len(self.name) - 12
        facts = "; ".join(map(str, reversed(self.lines)))
        description = shorten(facts, room)
        body = "\n".join(f"- {line}" for line in self.lines)
        if self.type in (MemoryType.feedback, MemoryType.project):
            body += (
                f"\n\n**Why:** {PERSON} said so.\n\n**How to apply:** When the"
                f" work is about {self.name}."
            )
        return Memory(self.name, description, self.type, f"\n{body}\n")


class Files:
    """Keeps Markdown files, one per topic, that a person can read, edit and
    undo; recall shows the index and at most five files.

    As in extraction, only what the person says becomes a memory: what a tool
    or the agent says is data. A fact goes to the file that it corrects,
    repeats or is near to, else to the file on the same topic, else to a new
    one. A correction replaces the line that it corrects; the old line is in
    the journal. Files and index have the caps of ``Settings``.

    Left out: the nightly dream, which would merge files and remove what is
    out of date; the request that the fork shares with the conversation, which
    is read from the cache; and the writing of each turn's memories right after
    the turn. They are written once per session. A model's answer to an
    extraction is only counted: rules choose the file, also with ``ByModel``.
    """

    name = "files"

    def __init__(
        self,
        asks: Asks,
        embedder: Embedder,
        directory: Path | None = None,
        settings: Settings | None = None,
    ) -> None:
        """Use a directory, or a temporary one that goes when this does; files
        need no vectors.
        """
        self._asks = asks
        self._settings = settings or Settings()
        if directory is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="memlab-")
            directory = Path(self._temporary.name) / "memory"
        self.directory = directory
        self._clock = CourseClock(START)
        self.store = MemoryStore(
            directory,
            clock=self._clock,
            settings=self._settings,
            durable=False,
        )
        self.refused: list[str] = []
        self._topics: dict[str, _Topic] = {}
        self._changed: set[str] = set()
        self._session = ""
        self._headers: Sequence[MemoryHeader] = ()

    def remember(self, turn: Turn) -> None:
        """Extract what the person said; write it when the session is over."""
        if turn.session != self._session:
            self.write_session()
            self._session = turn.session
        passed = turn.at - self._clock.now()
        self._clock.advance(max(0.0, passed.total_seconds()))
        if turn.who != PERSON.lower():
            return
        self._asks.ask(
            "save",
            self._extraction_prompt(turn),
            lambda: "\n".join(fact.text for fact in turn.facts),
        )
        for fact in turn.facts:
            self._save(fact)

    def write_session(self) -> None:
        """Write the memories of the current session, as one change."""
        changes = {
            file: format_memory(self._topics[file].memory()).encode()
            for file in sorted(self._changed)
        }
        self._changed.clear()
        if changes:
            said = Stamp(Origin.PERSON).as_json()
            stamps = {
                one.key: said
                for file, data in changes.items()
                for one in sentences_of(file, data)
            }
            self.store.commit(
                "replace",
                changes,
                stamps=stamps,
                who="extractor",
                session=self._session,
            )
            self._headers = scan_memory_files(
                self.directory, self._settings
            ).headers

    def recall(self, question: Asked) -> Sequence[str]:
        """Return the index as a prompt shows it, and at most five memories,
        chosen as in every recall of the course.
        """
        self.write_session()
        headers = scan_memory_files(self.directory, self._settings).headers
        index = read_index(self.directory, self._settings).prompt
        if not headers:
            return ()
        most = self._settings.select_max_memories
        request = selection_request(
            question.text, headers, settings=self._settings
        )
        answer = self._asks.ask(
            "choose",
            request_text(request),
            lambda: "\n".join(
                header.filename
                for header in KeywordIndex(headers).rank(question.text, most)
            ),
        )
        named = re.findall(r"[^\s\"',:\[\]]+\.md\b", answer)
        chosen = choose(named, headers, self._settings).chosen
        shown = surface(
            chosen,
            Surfaced(),
            now=question.at,
            settings=self._settings,
            show=self._shown,
        )
        return (index, *(each.text for each in shown.attachments))

    def cost(self) -> Cost:
        """Return what was asked, and the size of the directory with its
        journal. The lock is left out: it names the process.
        """
        self.write_session()
        size = sum(
            path.stat().st_size
            for path in self.directory.rglob("*")
            if path.is_file() and path.suffix != ".lock"
        )
        return cost_of(self._asks, stored_bytes=size)

    def _save(self, fact: Fact) -> None:
        """Put a fact where it belongs, unless a check refuses it."""
        text = _with_dates(fact)
        file, old, judgement = self._nearest(text)
        if judgement is Relation.SAME:
            return
        if file is None:
            file = self._file_on(fact)
        topic = self._topics.get(file) or _Topic(
            _topic_of(fact), TYPES[fact.kind], _title(fact)
        )
        kept = topic.lines
        if judgement is Relation.CORRECTS:
            kept = tuple(line for line in kept if line != old)
        new = _Line(text, fact.at.date())
        changed = replace(topic, lines=(*kept, new))
        findings = check(changed.memory(), fact.at)
        if any(finding.severity == "refuse" for finding in findings):
            self.refused.append(fact.text)
            return
        self._topics[file] = changed
        self._changed.add(file)

    def _nearest(self, text: str) -> tuple[str | None, _Line | None, Relation]:
        """Find the line that a text repeats, corrects or is near to: its file,
        the line, and which of these it is.
        """
        found = [
            (share(text, line.text), file, line, judgement)
            for file, topic in self._topics.items()
            for line in topic.lines
            if (judgement := self._asks.relation(text, line.text))
            is not Relation.OTHER
        ]
        if not found:
            return None, None, Relation.OTHER
        _, file, line, judgement = max(found, key=lambda each: each[0])
        return file, line, judgement

    def _file_on(self, fact: Fact) -> str:
        """Return the file on the topic of a fact that has room, or the name of
        a new one.
        """
        about = _topic_of(fact)
        for file, topic in self._topics.items():
            if about and topic.about == about and len(topic.lines) < LINES:
                return file
        return file_name(_title(fact), dict.fromkeys(self._topics, ""))

    def _shown(self, path: Path) -> str:
        """Write the path of a memory as a prompt names it."""
        return f"{SHOWN_AS}/{path.relative_to(self.directory).as_posix()}"

    def _extraction_prompt(self, turn: Turn) -> str:
        """Fill in the course's prompt for an extraction; the turn itself is
        what the fork finds in its conversation.
        """
        new = f"{turn.at:%Y-%m-%dT%H:%M:%SZ} user: {shorten(turn.text, 80)}"
        manifest = format_manifest(self._headers, self._settings)
        prompt = SHIPPED.load(
            "extract",
            new_messages=block("new_messages", new, count="1"),
            memory_directory=block("memory_directory", SHOWN_AS),
            manifest=block("manifest", manifest),
            instructions=block("instructions", ""),
            turns=str(self._settings.extract_max_turns),
        )
        return f"{turn.text}\n\n{prompt}"


def _topic_of(fact: Fact) -> frozenset[str]:
    """Return what a fact is about, without the person: nearly everything is
    about them.
    """
    return frozenset(fact.about) - {PERSON}


def _title(fact: Fact) -> str:
    """Name a topic after what its first fact is about, or after the words of
    the fact.
    """
    about = ", ".join(name for name in fact.about if name != PERSON)
    telling = [
        word
        for word in words(fact.text)
        if word not in STOP_WORDS and word != PERSON.lower()
    ]
    return shorten(about or " ".join(telling[:TITLE_WORDS]), TITLE_CHARACTERS)


def _with_dates(fact: Fact) -> str:
    """Write dates in place of "tomorrow" or "last week"."""
    text = fact.text
    for phrase in reversed(find_relative_times(text, fact.at)):
        if phrase.sure:
            end = phrase.offset + len(phrase.words)
            text = text[: phrase.offset] + phrase.instead + text[end:]
    return text
