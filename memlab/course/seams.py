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
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from memlab.agent.compaction import TailMessage
from memlab.agent.transcript import unanswered
from memlab.course import adapters as ours
from memlab.course.counted_files import CountedFiles
from memlab.course.measuring import contains_evidence
from memlab.course.parts import without_parts
from memlab.errors import MemoryFormatError
from memlab.evals.metrics import majority, mcnemar
from memlab.memdir import scan
from memlab.memdir.conflict import has_conflict
from memlab.memdir.coverage import as_memory, text_of
from memlab.memdir.daily_log import log_tail
from memlab.memdir.dates import age_in_words
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
from memlab.memdir.scan import MemoryHeader, Scan, Values
from memlab.recall.first_stage import MOST_SEARCHED, rare_terms
from memlab.recall.keyword import keyword_rank
from memlab.recall.selection import Choice, LeftOut, UnusableError
from memlab.settings import Settings
from memlab.text import stem, without_accents

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


# 03 scan and manifest


def newest_adapter(mine: Mine, before: Any) -> Any:
    """Let the learner list and open the files; their headers are read here."""

    def scan_files(
        directory: Path | str,
        settings: Settings | None = None,
        *,
        hides: Callable[[str], str] = scan.nothing_hidden,
    ) -> Scan:
        limit = settings or Settings()
        files = CountedFiles(directory, limit)
        headers = []
        skipped = []
        hidden = []
        for name, head in mine(files, limit.scan_max_files):
            why = hides(name)
            if why:
                hidden.append((name, why))
                continue
            try:
                values = scan.read_header(head.encode(), limit)
            except MemoryFormatError as error:
                skipped.append((name, error.what))
                continue
            path = files.directory / name
            headers.append(
                MemoryHeader(path, name, files.written(name), *values)
            )
        return Scan(
            headers=tuple(headers),
            skipped=tuple(skipped),
            beyond=max(0, files.stats - files.opened),
            stats=files.stats,
            reads=files.opened,
            hidden=tuple(hidden),
        )

    return scan_files


def manifest_adapter(mine: Mine, before: Any) -> Any:
    """Leave out the end of a description that is too long."""

    def manifest_line(header: MemoryHeader, width: int) -> str:
        start = header.description[:width]
        return str(mine(replace(header, description=start)))

    return manifest_line


# 04 recall


def terms_adapter(mine: Mine, before: Any) -> Any:
    """Remove accents before the learner splits a text, and cut the words to
    their stems afterwards.
    """

    def terms_of(text: str) -> list[str]:
        return [stem(word) for word in mine(without_accents(text))]

    return terms_of


def with_file_names(mine: Mine) -> Mine:
    """Let the learner's ranking search the file names, too, as memlab's does.

    The description that it gets ends with the words of the file name. What it
    returns are the headers as they were.
    """

    @wraps(mine)
    def rank(query: str, headers: Iterable[MemoryHeader], limit: int) -> Any:
        before = {header.filename: header for header in headers}
        longer = []
        for name, header in before.items():
            words = name.removesuffix(".md").replace("-", " ")
            description = f"{header.description} {words}"
            longer.append(replace(header, description=description))
        chosen = mine(query, longer, limit)
        return [before[header.filename] for header in chosen]

    return rank


def rank_adapter(mine: Mine, before: Any) -> Any:
    """Have the keyword ranking of a selection done by the learner."""

    async def select(*given: Any, **named: Any) -> Any:
        rank = with_file_names(mine)
        return await before(*given, **{**named, "rank": rank})

    return select


def choice_adapter(mine: Mine, before: Any) -> Any:
    """Give the learner the text of an answer; a refusal is memlab's own case."""

    def named_in(reply: Any) -> list[str]:
        if getattr(reply, "stop_reason", "") in ("refusal", "max_tokens"):
            return list(before(reply))
        blocks = getattr(reply, "content", None) or ()
        text = "".join(block.text for block in blocks if block.type == "text")
        try:
            return list(mine(text))
        except ValueError:
            raise UnusableError("unparsable") from None

    return named_in


def shown_adapter(mine: Mine, before: Any) -> Any:
    """Let the learner shorten the list of names before memlab goes on."""

    def choose(
        names: Iterable[str],
        headers: Sequence[MemoryHeader],
        settings: Settings,
        *,
        surfaced: Mapping[str, int] | None = None,
        **more: Any,
    ) -> Choice:
        kept = mine(list(names), sorted(surfaced or {}))
        choice: Choice = before(
            kept, headers, settings, surfaced=surfaced, **more
        )
        return choice

    return choose


def budget_adapter(mine: Mine, before: Any) -> Any:
    """Let memlab choose without a budget, and the learner keep what fits."""

    def choose(
        names: Iterable[str],
        headers: Sequence[MemoryHeader],
        settings: Settings,
        *,
        surfaced: Mapping[str, int] | None = None,
        size_of: Callable[[MemoryHeader], int] = lambda header: 0,
    ) -> Choice:
        sizes: dict[str, int] = {}

        def noted(header: MemoryHeader) -> int:
            sizes[header.filename] = size_of(header)
            return 0

        choice: Choice = before(
            names, headers, settings, surfaced=surfaced, size_of=noted
        )
        left = settings.surface_session_bytes - sum((surfaced or {}).values())
        fitting = mine(
            [(each.filename, sizes[each.filename]) for each in choice.chosen],
            left,
        )
        too_large = [
            LeftOut(
                each.filename,
                "budget",
                f"{sizes[each.filename]:,} bytes do not fit",
            )
            for each in choice.chosen
            if each.filename not in fitting
        ]
        return Choice(
            tuple(each for each in choice.chosen if each.filename in fitting),
            (*choice.left_out, *too_large),
        )

    return choose


# 05 the agent loop


def ready_adapter(mine: Mine, before: Any) -> Any:
    """Let the learner decide which recalls are taken; memlab logs them and
    attaches their texts.
    """

    @wraps(before)  # so that show_source shows memlab's own
    def take(prefetch: Any, when_newest: str) -> Any:
        started = prefetch._started
        left = list(prefetch.tasks)
        mine(left)
        prefetch._started = {
            task: at for task, at in started.items() if task not in left
        }
        try:
            return before(prefetch, when_newest)
        finally:
            still = [*left, *prefetch._started]
            prefetch._started = {
                task: at for task, at in started.items() if task in still
            }

    return take


def _agrees(mine: Mine, *arguments: Any) -> bool:
    """Ask a learner's guard; one that raises an exception has refused."""
    try:
        return bool(mine(*arguments))
    except Exception:
        return False


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
    "is_memory_file": Seam(
        who="every scan",
        ours=scan.is_memory_file,
        places=("memlab.memdir.scan.is_memory_file",),
    ),
    "newest_memories": Seam(
        who="the scan of recall, extraction and dreaming",
        ours=ours.newest_memories,
        places=(
            "memlab.recall.pipeline.scan_memory_files",
            "memlab.extract.extractor.scan_memory_files",
            "memlab.dream.dream.scan_memory_files",
        ),
        adapter=newest_adapter,
    ),
    "manifest_line": Seam(
        who="every manifest",
        ours=ours.manifest_line,
        places=("memlab.memdir.scan.manifest_line",),
        adapter=manifest_adapter,
    ),
    "age_note": Seam(
        who="recall",
        ours=age_in_words,
        places=("memlab.recall.attach.age_in_words",),
    ),
    "terms": Seam(
        who="the keyword ranking",
        places=("memlab.recall.keyword.terms_of",),
        adapter=terms_adapter,
    ),
    "keyword_rank": Seam(
        who="recall",
        ours=keyword_rank,
        places=("memlab.recall.pipeline.select_relevant_memories",),
        adapter=rank_adapter,
        asked=with_file_names,
    ),
    "read_choice": Seam(
        who="recall",
        ours=ours.read_choice,
        places=("memlab.recall.selection.named_in",),
        adapter=choice_adapter,
        raises=(ValueError,),
    ),
    "drop_shown": Seam(
        who="recall",
        ours=ours.drop_shown,
        places=("memlab.recall.selection.choose",),
        adapter=shown_adapter,
    ),
    "fits_budget": Seam(
        who="recall",
        ours=ours.fits_budget,
        places=("memlab.recall.attach.choose",),
        adapter=budget_adapter,
    ),
    "agent_loop": Seam(who="this notebook", ours=ours.agent_loop),
    "answer_open_call": Seam(
        who="the agent loop",
        ours=unanswered,
        places=("memlab.agent.loop.unanswered",),
        adapter=as_it_is,
    ),
    "take_ready": Seam(
        who="every turn with recall",
        ours=ours.take_ready,
        places=("memlab.recall.prefetch.Prefetch._take",),
        adapter=ready_adapter,
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
