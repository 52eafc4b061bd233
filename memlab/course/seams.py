"""Where the machine calls the learner's parts.

A *seam* is a name in memlab that a part replaces: ``install_seams`` sets the
attribute of the module that uses it, as a test's monkeypatch does, and the
next call restores it first. The package itself knows nothing of this. The
*adapter* of a seam gets the learner's function and what was there before, and
returns what takes its place. ``data/exercises/README.md`` lists the seams and
says what memlab's own version does differently.
"""

from __future__ import annotations

import inspect
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from memlab.agent.compaction import TailMessage
from memlab.agent.loop import Agent
from memlab.agent.permissions import Decision
from memlab.agent.request import RequestPrefix
from memlab.agent.tool import ToolContext
from memlab.course import adapters as ours
from memlab.course.adapters import combined_policy
from memlab.course.measuring import contains_evidence
from memlab.course.parts import without_parts
from memlab.errors import MemoryFormatError
from memlab.evals.metrics import majority, mcnemar
from memlab.memdir.conflict import has_conflict
from memlab.memdir.coverage import as_memory, text_of
from memlab.memdir.daily_log import log_tail
from memlab.memdir.index import (
    INDEX,
    Pointer,
    ShownIndex,
    parse_pointers,
    shown_index,
)
from memlab.memdir.memory import Memory, MemoryType
from memlab.memdir.origin import Origin
from memlab.memdir.path_safety import slug
from memlab.memdir.personal import project_wins
from memlab.memdir.review import Review
from memlab.memdir.scan import Values
from memlab.recall.first_stage import MOST_SEARCHED, rare_terms
from memlab.settings import Settings
from memlab.text import as_blocks

Mine = Callable[..., Any]
Adapter = Callable[[Any, Any], Any]


def as_it_is(mine: Mine, before: Any) -> Any:
    """Use the learner's function as it is."""
    return mine


def _unchanged(mine: Mine) -> Mine:
    return mine


@dataclass(frozen=True, kw_only=True)
class Seam:
    """Where one part is called.

    ``places`` are the dotted names that are replaced; without any, only the
    course itself asks for the part. ``ours`` is memlab's own version with the
    signature of the gap, and ``who`` says in words what calls the part.
    ``raises`` are the exceptions that a right answer may raise. ``asked``
    prepares the learner's version for the course, which asks for the part
    itself. ``in_system`` is false for what is no part of the memory system of
    the first notebooks: it measures it, or belongs to a mode.
    """

    who: str
    ours: Mine | None = None
    places: tuple[str, ...] = ()
    adapter: Adapter = field(default=as_it_is)
    raises: tuple[type[Exception], ...] = ()
    asked: Callable[[Mine], Mine] = _unchanged
    in_system: bool = True


# 01 memory files


def header_adapter(mine: Mine, before: Any) -> Any:
    """Turn bytes into a string, and the learner's dict into a tuple.

    A file at which the learner's function fails is not a memory: the scan
    skips it and says why.
    """

    def read_header(start: bytes, limit: Settings) -> Values:
        try:
            text = start.decode()
        except UnicodeDecodeError:
            return cast("Values", before(start, limit))
        try:
            found = mine(text)
            values = [found[key] for key in ("name", "description", "type")]
        except Exception as error:
            what = f"parse_header raised {type(error).__name__}: {error}"
            raise MemoryFormatError(what) from error
        if not all(isinstance(value, str) for value in values):
            what = "parse_header returned a value that is not a string"
            raise MemoryFormatError(what)
        if not any(found.values()):
            # not a memory: memlab's own version says why
            return cast("Values", before(start, limit))
        name, description, kind = values
        return name, description, MemoryType.__members__.get(kind), {}

    return read_header


def new_header_adapter(mine: Mine, before: Any) -> Any:
    """Let the learner write the header of a memory that is new."""

    def format_memory(memory: Memory) -> str:
        text: str = before(memory)
        plain = not memory.superseded_by and not memory.dropped
        if memory._front or not plain:
            return text
        kind = str(memory.type or "")
        body = text.split("\n---\n", 1)[1]
        try:
            header = mine(memory.name, memory.description, kind)
            written = f"{header}{body}"
            is_same = _same_memory(written, text)
        except Exception:
            # a memory is not lost because of the learner's function
            return text
        return written if is_same else text

    return format_memory


def _same_memory(one: str, other: str) -> bool:
    read = as_memory("", one.encode())
    return read is not None and read == as_memory("", other.encode())


def tombstone_adapter(mine: Mine, before: Any) -> Any:
    """Give the learner the keys of the header, and the body."""

    def is_tombstone(memory: Memory) -> bool:
        header = {
            "name": memory.name,
            "superseded_by": memory.superseded_by,
            "dropped": memory.dropped,
        }
        return bool(mine(header, memory.body))

    return property(is_tombstone)


def stem_adapter(mine: Mine, before: Any) -> Any:
    """Let the learner name a new file, if that name is safe and free."""

    def file_name(
        name: str, taken: Collection[str] | Mapping[str, str] = ()
    ) -> str:
        file: str = before(name, taken)
        if file in taken:
            # a memory of this name keeps its file
            return file
        stems = {one.removesuffix(".md") for one in taken if "/" not in one}
        stem: str = mine(name, stems)
        is_taken = stem.casefold() in {one.casefold() for one in stems}
        return file if is_taken or slug(stem) != stem else f"{stem}.md"

    return file_name


# 02 the index


def pointer_adapter(mine: Mine, before: Any) -> Any:
    """Turn a pointer into three texts."""

    def line(pointer: Pointer) -> str:
        text: str = mine(pointer.file, pointer.title, pointer.hook)
        return text

    return line


def set_pointer_adapter(mine: Mine, before: Any) -> Any:
    """Decide here what the line says, and let the learner decide where it
    goes.

    The gap promises an index whose lines end with a newline, and it knows
    nothing of comments.
    """

    def set_pointer(
        text: str, pointer: Pointer, *, was: Pointer | None = None
    ) -> str:
        new = before(text, pointer, was=was)
        ends_well = not text or text.endswith("\n")
        if not ends_well or "\r" in text or "<!--" in text:
            return str(new)
        for line in new.split("\n"):
            if [one.file for one in parse_pointers(line)] == [pointer.file]:
                return str(mine(text, pointer.file, line))
        return str(new)

    return set_pointer


def cut_adapter(mine: Mine, before: Any) -> Any:
    """Pass the two limits on; the warning below the text is memlab's own."""

    def truncate_index(
        text: str, settings: Settings | None = None, *more: Any
    ) -> ShownIndex:
        limit = settings or Settings()
        shown: ShownIndex = before(text, settings, *more)
        kept = mine(
            shown_index(text), limit.index_max_lines, limit.index_max_bytes
        )
        return replace(shown, text=kept)

    return truncate_index


# 06 the fork and its cache


def mark_adapter(mine: Mine, before: Any) -> Any:
    """Turn a text into a list of one block."""

    def marked(content: Any) -> list[Mapping[str, Any]]:
        return list(mine([dict(block) for block in as_blocks(content)]))

    return marked


def fork_adapter(mine: Mine, before: Any) -> Any:
    """Let the learner build the first request of each fork.

    The learner gets the parent's request without the answer to it. memlab's
    own request is sent if the learner's differs from it, or fails.
    """

    def body(agent: Agent) -> dict[str, Any]:
        own: dict[str, Any] = before(agent)
        parent = agent.history
        is_first = isinstance(parent, RequestPrefix) and (
            len(agent.messages) == len(parent.messages) + 1
        )
        if not is_first or len(agent.messages) < 3:
            # a dream in a new conversation has no answer to build on
            return own
        *earlier, answered, asked = agent.messages
        prompt = asked["content"]
        if answered["role"] != "assistant" or not isinstance(prompt, str):
            return own
        sent = replace(agent.prefix(), messages=tuple(earlier)).body()
        answer = as_blocks(answered["content"])
        try:
            built = mine(deepcopy(sent), deepcopy(answer), prompt)
            built = {**built, "messages": _strings(built, own)}
            is_same = bool(built == own)
        except Exception:
            # a fork is not lost because of the learner's function
            return own
        return built if is_same else own

    return body


def _strings(
    built: Mapping[str, Any], own: Mapping[str, Any]
) -> list[Mapping[str, Any]]:
    """Make a content a string again if it became a block only to carry a
    mark.
    """
    messages: list[Mapping[str, Any]] = []
    for message, other in zip(built["messages"], own["messages"], strict=True):
        text = other["content"]
        if isinstance(text, str) and message["content"] == as_blocks(text):
            messages.append({**message, "content": text})
        else:
            messages.append(message)
    return messages


def share_adapter(mine: Mine, before: Any) -> Any:
    """Turn tokens into three numbers."""

    def hit_percent(tokens: Any) -> float:
        return float(mine(tokens.read, tokens.created, tokens.uncached))

    return property(hit_percent)


# 07 the sandbox: a part may refuse more than memlab does, and never less


def _agrees(mine: Mine, *arguments: Any) -> bool:
    """Ask a learner's guard; one that raises an exception has refused."""
    try:
        return bool(mine(*arguments))
    except Exception:
        return False


def inside_adapter(mine: Mine, before: Any) -> Any:
    """Ask about each folder; memlab has to agree."""

    def is_inside(real: Path, roots: Sequence[Path]) -> bool:
        return bool(before(real, roots)) and any(
            _agrees(mine, str(real), str(root)) for root in roots
        )

    return is_inside


def command_adapter(mine: Mine, before: Any) -> Any:
    """Combine the learner's verdict with memlab's."""
    return combined_policy(partial(_agrees, mine))


def write_adapter(mine: Mine, before: Any) -> Any:
    """Ask the learner's rule about what memlab allows."""

    def may_write(context: ToolContext, typed: str) -> Decision:
        decision: Decision = before(context, typed)
        place = str(context.path(typed))
        if decision and not _agrees(mine, place, str(context.memory)):
            return Decision(False, "Your may_write refuses it")
        return decision

    return may_write


# 08 extraction


@dataclass(frozen=True)
class Message:
    """A message as the gaps of notebook 08 see it."""

    uuid: str
    role: str
    text: str

    def __repr__(self) -> str:
        return self.uuid


@dataclass(frozen=True)
class Conversation:
    """A conversation as it was at the end of a turn."""

    messages: tuple[Message, ...]


def messages_of(prefix: RequestPrefix) -> list[Message]:
    """Return the messages of a conversation, with what was said in each."""
    found = []
    for uuid, message in zip(prefix.uuids, prefix.messages, strict=True):
        texts = [
            block["text"]
            for block in as_blocks(message["content"])
            if block["type"] == "text"
        ]
        found.append(Message(uuid, message["role"], "\n".join(texts)))
    return found


def new_messages_adapter(mine: Mine, before: Any) -> Any:
    """Turn a conversation into messages, and messages into their uuids."""

    def new_messages(prefix: RequestPrefix, cursor: str) -> tuple[str, ...]:
        new = mine(messages_of(prefix), cursor or None)
        return tuple(message.uuid for message in new)

    return new_messages


def extractor_adapter(mine: Mine, before: Any) -> Any:
    """Let the learner's class decide when a run starts and what it reads; the
    run itself is memlab's.
    """
    import asyncio

    from memlab.events import ExtractionStashed
    from memlab.extract.extractor import _span, new_messages

    class LearnersExtractor(before):  # type: ignore[misc]
        cursor: str

        def __init__(self, **fields: Any) -> None:
            super().__init__(**fields)
            self._mine = mine(self._extract_messages)
            self._mine.cursor = self.cursor or None
            self._prefixes: dict[str, RequestPrefix] = {}
            self._read_again = False

        async def __call__(self, prefix: RequestPrefix) -> None:
            if prefix.uuids:
                self._prefixes[prefix.uuids[-1]] = prefix
            conversation = Conversation(tuple(messages_of(prefix)))
            if self.running:
                new = new_messages(prefix, self.cursor)
                self.runtime.events.emit(ExtractionStashed(**_span(new)))
                await self._mine.turn_ended(conversation)
                return
            ended: asyncio.Future[None]
            ended = asyncio.get_running_loop().create_future()
            self._ended: Any = ended
            self._task: Any = asyncio.current_task()
            try:
                await self._mine.turn_ended(conversation)
            finally:
                ended.set_result(None)
                self._ended = None
                self._task = None
                self._stopping = False

        async def _extract_messages(self, messages: Any) -> None:
            first, last = messages[0].uuid, messages[-1].uuid
            prefix = self._prefixes[last]
            start = prefix.uuids.index(first)
            # after a failed or throttled run, memlab's cursor has not moved
            if not self._read_again:
                self.cursor = prefix.uuids[start - 1] if start else ""
            await self._extract(prefix)
            self._read_again = self.cursor != last

    return LearnersExtractor


def saved_itself_adapter(mine: Mine, before: Any) -> Any:
    """Turn the journal's entries into dicts."""

    def agent_wrote_memory(extractor: Any, new: Iterable[str]) -> bool:
        store, context = extractor.context.store, extractor.context
        if store is None:
            return False
        journal = [
            {"who": entry.who, "session": entry.session, "turn": entry.turn}
            for entry in store.history()
        ]
        return bool(mine(journal, context.session, list(new)))

    return agent_wrote_memory


# 11 dreaming


def review_adapter(mine: Mine, before: Any) -> Any:
    """Let the learner's function refuse more than the review does."""

    def reviewer(
        review: Callable[..., Review], *given: Any, **more: Any
    ) -> Any:
        return before(reviewed_by(mine, review), *given, **more)

    return reviewer


def reviewed_by(
    unaccounted: Mine, review: Callable[..., Review]
) -> Callable[..., Review]:
    """Return a review that refuses, besides what memlab's own refuses, to
    remove a file of which the function lists a sentence.

    Whether a rewrite may drop a sentence depends on what the person has said
    since, and that is memlab's to judge.
    """

    def reviewed(
        before: Mapping[str, bytes],
        after: Mapping[str, bytes],
        reasons: Mapping[str, str] | None = None,
        *,
        held: Mapping[str, str] | None = None,
        **more: Any,
    ) -> Review:
        out, live = dict(held or {}), more.get("live") or before
        while True:
            receipt = review(before, after, reasons, held=out, **more)
            accepted = [change.file for change in receipt.accepted]
            then = {**live, **{name: after.get(name) for name in accepted}}
            left = {
                name: data for name, data in then.items() if data is not None
            }
            lost = unaccounted(
                _bodies(before), _bodies(left), dict(reasons or {})
            )
            removed = {name for name in accepted if name not in after}
            if not (passed := removed & {file for file, _ in lost}):
                return receipt
            why = (
                "some of it is found nowhere, and no reason accounts for that"
            )
            out |= dict.fromkeys(passed, why)

    return reviewed


def _bodies(files: Mapping[str, bytes]) -> dict[str, str]:
    """Return the body of each memory, or all of its text if it cannot be read
    as a memory.
    """
    read = {
        name: as_memory(name, data)
        for name, data in files.items()
        if name != INDEX
    }
    return {
        name: memory.body if memory else text_of(files[name])
        for name, memory in read.items()
    }


def origin_adapter(mine: Mine, before: Any) -> Any:
    """Turn origins into labels; the learner's answer counts if it is not
    trusted more than memlab's.
    """

    def least_trusted(origins: Iterable[Origin]) -> Origin:
        given = list(origins)
        least: Origin = before(given)
        try:
            label = mine([origin.label for origin in given])
        except Exception:  # a stamp is needed all the same
            return least
        return min(Origin.from_label(label), least)

    return least_trusted


# 14 session notes and the daily log


def tail_adapter(mine: Mine, before: Any) -> Any:
    """Give the learner the tokens and the kind of each message.

    memlab cuts the conversation if the learner's function fails, or returns a
    position at which no tail may begin.
    """

    def keep_tail(
        messages: Sequence[TailMessage],
        min_tokens: int,
        min_texts: int,
        max_tokens: int,
    ) -> int:
        pairs = [(message.tokens, _kind(message)) for message in messages]
        limits = (min_tokens, min_texts, max_tokens)
        own: int = before(messages, *limits)
        try:
            first = mine(list(pairs), *limits)
        except Exception:  # the conversation has to be cut all the same
            return own
        if type(first) is not int or not 0 <= first <= len(pairs):
            return own
        tail = pairs[first:]
        is_torn = bool(tail) and tail[0][1] == "result"
        is_large = sum(tokens for tokens, _ in tail) > max_tokens
        return own if is_torn or is_large else first

    return keep_tail


def _kind(message: TailMessage) -> str:
    if message.has_result:
        return "result"
    return "text" if message.has_text else "call"


def append_adapter(mine: Mine, before: Any) -> Any:
    """Ask the learner about a change that memlab allows."""

    def append_refused(path: str, text: str, after: str, today: date) -> str:
        refused: str = before(path, text, after, today)
        if refused:
            return refused
        if _agrees(mine, path, text, after, today.isoformat()):
            return ""
        return "your may_append does not allow this change"

    return append_refused


def log_tail_adapter(mine: Mine, before: Any) -> Any:
    """Show what the learner keeps of the log, if it is an end of the log and
    not too long.
    """

    def log_tail(text: str, most: int) -> str:
        own: str = before(text, most)
        try:
            kept = mine(text, most)
        except Exception:  # a session begins all the same
            return own
        is_end = isinstance(kept, str) and text.endswith(kept)
        return kept if is_end and len(kept.encode()) <= most else own

    return log_tail


# 15 team and personal memory


def team_time_adapter(mine: Mine, before: Any) -> Any:
    """Turn the times into seconds, and the seconds into one of the times."""

    def team_memory_time(
        modified: datetime | None, committed: datetime, now: datetime
    ) -> datetime:
        times = {
            time.timestamp(): time
            for time in (modified, committed, now)
            if time is not None
        }
        stated = None if modified is None else modified.timestamp()
        found = mine(stated, committed.timestamp(), now.timestamp())
        return times[found]

    return team_memory_time


# 17 beyond 200 files


def rare_terms_adapter(mine: Mine, before: Any) -> Any:
    """Search for the learner's choice, if it is one of the terms asked for."""

    def rare_terms(
        containing: Mapping[str, int], most: int = MOST_SEARCHED
    ) -> list[str]:
        try:
            kept = mine(dict(containing), most)
        except Exception:  # a question is answered all the same
            kept = None
        asked = list(containing)
        if isinstance(kept, list) and all(term in asked for term in kept):
            return kept
        own: list[str] = before(containing, most)
        return own

    return rare_terms


SEAMS: Mapping[str, Seam] = {
    "memory_block": Seam(
        who="a session of notebook 00",
        ours=ours.memory_block,
        places=("memlab.course.bare_sessions.memory_block",),
    ),
    "add_memory": Seam(
        who="a session of notebook 00",
        ours=ours.add_memory,
        places=("memlab.course.bare_sessions.add_memory",),
    ),
    "contains_evidence": Seam(who="the scoreboard", ours=contains_evidence),
    "parse_header": Seam(
        who="the scan",
        ours=ours.parse_header,
        places=("memlab.memdir.scan.read_header",),
        adapter=header_adapter,
    ),
    "format_header": Seam(
        who="the store",
        ours=ours.format_header,
        places=("memlab.memdir.store.format_memory",),
        adapter=new_header_adapter,
    ),
    "is_tombstone": Seam(
        who="the store",
        ours=ours.is_tombstone,
        places=("memlab.memdir.memory.Memory.is_tombstone",),
        adapter=tombstone_adapter,
    ),
    "file_stem": Seam(
        who="the store",
        places=("memlab.memdir.store.file_name",),
        adapter=stem_adapter,
    ),
    "pointer_line": Seam(
        who="the index",
        ours=ours.pointer_line,
        places=("memlab.memdir.index._line",),
        adapter=pointer_adapter,
    ),
    "set_pointer": Seam(
        who="the store",
        ours=ours.put_pointer,
        places=("memlab.memdir.store.set_pointer",),
        adapter=set_pointer_adapter,
    ),
    "truncate_index": Seam(
        who="the system prompt",
        ours=ours.cut_index,
        places=("memlab.memdir.instructions.truncate_index",),
        adapter=cut_adapter,
    ),
    "fork_request": Seam(
        who="every fork",
        ours=ours.fork_request,
        places=("memlab.agent.loop.Agent._body",),
        adapter=fork_adapter,
    ),
    "mark_cache": Seam(
        who="every request",
        ours=ours.mark_cache,
        places=("memlab.agent.request._marked",),
        adapter=mark_adapter,
    ),
    "cache_share": Seam(
        who="the ledger",
        ours=ours.cache_share,
        places=("memlab.ledger.Tokens.hit_percent",),
        adapter=share_adapter,
    ),
    "is_inside": Seam(
        who="the permission check",
        ours=ours.is_inside,
        places=("memlab.agent.permissions._is_inside",),
        adapter=inside_adapter,
    ),
    "is_read_only_command": Seam(
        who="the fork's shell",
        places=("memlab.agent.fork.is_read_only_command",),
        adapter=command_adapter,
    ),
    "may_write": Seam(
        who="a fork's permission check",
        places=("memlab.agent.permissions._may_write",),
        adapter=write_adapter,
    ),
    "new_messages": Seam(
        who="the extractor",
        ours=ours.new_messages,
        places=("memlab.extract.extractor.new_messages",),
        adapter=new_messages_adapter,
    ),
    "Extractor": Seam(
        who="the agent, after each turn,",
        places=("memlab.harness.Extractor",),
        adapter=extractor_adapter,
    ),
    "agent_saved_itself": Seam(
        who="the extractor",
        ours=ours.agent_saved_itself,
        places=("memlab.extract.extractor.Extractor._agent_wrote_memory",),
        adapter=saved_itself_adapter,
    ),
    "unaccounted": Seam(
        who="the review of a dream",
        ours=ours.unaccounted,
        places=("memlab.dream.dream.reviewer",),
        adapter=review_adapter,
    ),
    "least_trusted": Seam(
        who="each writer of memory",
        ours=ours.least_trusted,
        places=("memlab.memdir.support.least_trusted",),
        adapter=origin_adapter,
    ),
    "has_conflict": Seam(
        who="whatever reads a memory",
        ours=has_conflict,
        places=("memlab.memdir.conflict.has_conflict",),
        in_system=False,
    ),
    "team_memory_time": Seam(
        who="team memory",
        ours=ours.team_memory_time,
        places=("memlab.modes.team.team_memory_time",),
        adapter=team_time_adapter,
        in_system=False,
    ),
    "project_wins": Seam(
        who="personal memory",
        ours=project_wins,
        places=("memlab.memdir.personal.project_wins",),
        in_system=False,
    ),
    "majority": Seam(
        who="the bench's comparison",
        ours=majority,
        places=("memlab.bench.compare.majority",),
        in_system=False,
    ),
    "mcnemar": Seam(
        who="the bench's comparison",
        ours=mcnemar,
        places=("memlab.bench.compare.mcnemar",),
        in_system=False,
    ),
    "keep_tail": Seam(
        who="a compaction with notes",
        ours=ours.keep_tail,
        places=("memlab.agent.compaction.keep_tail",),
        adapter=tail_adapter,
        in_system=False,
    ),
    "may_append": Seam(
        who="the store, for each line of a log",
        ours=ours.may_append,
        places=("memlab.memdir.store.append_refused",),
        adapter=append_adapter,
        in_system=False,
    ),
    "log_tail": Seam(
        who="a session in daily-log mode",
        ours=log_tail,
        places=("memlab.modes.daily_log.log_tail",),
        adapter=log_tail_adapter,
        in_system=False,
    ),
    "rare_terms": Seam(
        who="the first stage of recall",
        ours=rare_terms,
        places=("memlab.recall.sqlite_stage.rare_terms",),
        adapter=rare_terms_adapter,
        in_system=False,
    ),
}
"""The parts that the machine calls, in the order of the notebooks."""


_INSTALLED: list[tuple[Any, str, Any]] = []
_PARTS: dict[str, Any] = {}


def install_seams(parts: Mapping[str, Any]) -> None:
    """Put these parts into the machine, and take all others out."""
    remove_seams()
    _PARTS.update(parts)
    for name, seam in SEAMS.items():
        if name not in parts:
            continue
        for place in seam.places:
            owner, attribute = _owner_of(place)
            before = inspect.getattr_static(owner, attribute)
            after = seam.adapter(parts[name], before)
            if callable(after):
                # show_source shows memlab's own version all the same
                after.__wrapped__ = before
            setattr(owner, attribute, after)
            _INSTALLED.append((owner, attribute, before))


def remove_seams() -> None:
    """Restore the machine as it was."""
    while _INSTALLED:
        owner, attribute, before = _INSTALLED.pop()
        setattr(owner, attribute, before)
    _PARTS.clear()


def original_of(thing: Any) -> Any:
    """Return what was there before a learner's part, or the thing itself if no
    part has replaced it.
    """
    for owner, attribute, before in _INSTALLED:
        if inspect.getattr_static(owner, attribute) is thing:
            return before
    return thing


def installed_parts() -> tuple[str, ...]:
    """Return the names of the parts that are in the machine."""
    return tuple(name for name in SEAMS if name in _PARTS)


@contextmanager
def without_seams() -> Iterator[None]:
    """Take the learner's parts out for a while, so that memlab's own versions
    can be asked.
    """
    parts = dict(_PARTS)
    if parts:
        remove_seams()
    try:
        with without_parts():
            yield
    finally:
        if parts:
            install_seams(parts)


@contextmanager
def with_seams(
    more: Mapping[str, Any], also: Collection[str] = ()
) -> Iterator[None]:
    """Put further parts into the machine for a while; what is in there already
    stays, except for the parts named in ``also``.
    """
    parts = dict(_PARTS)
    kept = {name: part for name, part in parts.items() if name not in also}
    install_seams({**more, **kept})
    try:
        yield
    finally:
        install_seams(parts)


def _owner_of(place: str) -> tuple[Any, str]:
    """Find the module or class that has an attribute."""
    names = place.split(".")
    for count in range(len(names) - 1, 0, -1):
        try:
            owner: Any = import_module(".".join(names[:count]))
        except ModuleNotFoundError:
            continue
        for name in names[count:-1]:
            owner = getattr(owner, name)
        return owner, names[-1]
    raise LookupError(place)
