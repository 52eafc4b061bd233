"""Choosing the memories that recall attaches: at most five, and what keeps the
others out.

``choose`` is the one place that limits recall: how many memories, which names
count, each one once per session, and how many bytes a session may get. It does
not care who proposed the names. Usually a model does, in a short call beside
the conversation (``select_relevant_memories``). If that call fails, keyword
ranking proposes them. The limits of a single file, in lines and bytes, are
applied where its text is shortened (``attach``), because they leave nothing
out.

A memory that only documents a tool in use is not proposed by keywords, since
the tool's working usage is in the conversation already. A memory that warns
about that tool is kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memlab.errors import MemoryFormatError, pass_on_tape_miss
from memlab.events import MemoriesSelected
from memlab.ledger import Tokens
from memlab.memdir.scan import MemoryHeader, format_manifest, one_line
from memlab.prompts import SHIPPED, Prompts
from memlab.prompts.blocks import block
from memlab.recall import keyword
from memlab.recall.keyword import searched_text
from memlab.recall.side_query import ask_aside, within
from memlab.runtime import Runtime
from memlab.service_errors import read_error
from memlab.settings import Settings
from memlab.text import count_tokens, shorten, words

NAME_CHARACTERS = 80


@dataclass(frozen=True)
class LeftOut:
    """A memory that is not attached, and why."""

    filename: str
    reason: str
    detail: str = ""


@dataclass(frozen=True)
class Choice:
    """The memories that are within the limits, best first, and the ones that
    are not.
    """

    chosen: tuple[MemoryHeader, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    def names_left_out(self, reason: str) -> tuple[str, ...]:
        """Give the file names that were left out for this reason."""
        return tuple(
            each.filename for each in self.left_out if each.reason == reason
        )


def choose(
    names: Iterable[str],
    headers: Sequence[MemoryHeader],
    settings: Settings,
    *,
    surfaced: Mapping[str, int] | None = None,
    size_of: Callable[[MemoryHeader], int] = lambda header: 0,
) -> Choice:
    """Apply every limit of recall to file names that somebody proposed, best
    first.

    A name counts if it is in the manifest of these headers, and only once.
    ``surfaced`` has the memories that the session has seen, with the bytes
    that each took. ``size_of`` gives the bytes that attaching a memory takes;
    it is not called for a memory that was seen, and may raise OSError or
    MemoryFormatError for one that cannot be read.
    """
    known = {one_line(header.filename): header for header in reversed(headers)}
    known |= {header.filename: header for header in headers}
    seen = surfaced or {}
    left = settings.surface_session_bytes - sum(seen.values())
    files: list[str] = []
    by_file: dict[str, MemoryHeader] = {}
    invented: dict[str, LeftOut] = {}
    for name in names:
        if name in known:
            files.append(known[name].filename)
            by_file[known[name].filename] = known[name]
        else:  # it goes to the log
            shown = shorten(one_line(name), NAME_CHARACTERS)
            invented[shown] = LeftOut(shown, "not in the manifest")

    sizes = dict(seen)
    unreadable: dict[str, str] = {}
    for file, header in by_file.items():
        try:
            if file not in seen:
                sizes[file] = size_of(header)
        except OSError as error:
            unreadable[file] = error.strerror or str(error)
        except MemoryFormatError as error:
            unreadable[file] = error.what
    readable = [file for file in files if file not in unreadable]
    fitting = names_to_attach(readable, list(seen), sizes, left)

    chosen: list[MemoryHeader] = []
    left_out: list[LeftOut] = []
    for file, header in by_file.items():
        if file in seen:
            left_out.append(LeftOut(file, "surfaced"))
        elif len(chosen) == settings.select_max_memories:
            left_out.append(LeftOut(file, "cap"))
        elif file in unreadable:
            left_out.append(LeftOut(file, "unreadable", unreadable[file]))
        elif file not in fitting:
            detail = f"{sizes[file]:,} bytes, and {left:,} are left"
            left_out.append(LeftOut(file, "budget", detail))
        else:
            chosen.append(header)
            left -= sizes[file]
    return Choice(tuple(chosen), (*left_out, *invented.values()))


def names_to_attach(
    names: list[str], shown: list[str], sizes: dict[str, int], left: int
) -> list[str]:
    """Return the names that are not yet shown, once each, and whose memories
    fit into the bytes that are left.
    """
    taken: list[str] = []
    for name in names:
        if name in shown or name in taken:
            continue
        if sizes[name] <= left:
            taken.append(name)
            left -= sizes[name]
    return taken


_EXPLAINS = frozenset(
    words(
        "usage reference documentation docs manual guide syntax arguments"
        " parameters options"
    )
)
_WARNS = frozenset(
    words(
        "warning warns caution careful beware gotcha trap pitfall bug broken"
        " breaks fails never"
    )
)


def explains_tool_in_use(
    header: MemoryHeader, recent_tools: Sequence[str]
) -> bool:
    """Say whether a memory documents one of these tools and does not warn
    about it.

    It has to contain every word of the tool's name. Tools with a name of one
    word (Read, Edit) never count, because such words appear everywhere.
    """
    found = {*words(searched_text(header))}
    names = [
        {*words(tool.replace("_", " "))} - {"mcp"} for tool in recent_tools
    ]
    named = any(len(name) > 1 and name <= found for name in names)
    return named and bool(found & _EXPLAINS) and not found & _WARNS


Rank = Callable[[str, Sequence[MemoryHeader], int], Sequence[MemoryHeader]]


@dataclass(frozen=True)
class Selection(Choice):
    """A choice, and who made it: ``model``, ``fallback``, or ``empty`` if
    nobody was asked.

    ``fallback`` is what keyword ranking chooses, whether it was needed or not;
    ``error`` says why it was. ``tokens`` are those of the call to the model.
    ``source`` is the label of an answer that the stand-in gave.
    """

    by: str = "empty"
    manifest: str = ""
    fallback: tuple[MemoryHeader, ...] = ()
    error: str = ""
    seconds: float = 0.0
    tokens: Tokens = field(default_factory=Tokens)
    source: str = ""

    @property
    def chosen_by(self) -> str:
        """Say who chose."""
        if self.by == "model":
            return self.source or "the model"
        if self.by == "fallback":
            return f"words, because the model could not choose ({self.error})"
        why = "recall is off" if self.by == "off" else "nothing to choose from"
        return f"nobody: {why}"

    @property
    def invented(self) -> tuple[str, ...]:
        """The names that are in no manifest, each shortened to one line for
        the log.
        """
        return self.names_left_out("not in the manifest")

    @property
    def capped(self) -> tuple[str, ...]:
        """The files beyond the limit."""
        return self.names_left_out("cap")

    @property
    def figures(self) -> dict[str, Any]:
        """The figures for the log, without the empty ones."""
        figures: dict[str, Any] = {
            "by": self.by,
            "error": self.error,
            "chosen": [header.filename for header in self.chosen],
            "invented": list(self.invented),
            "capped": list(self.capped),
        }
        figures = {name: value for name, value in figures.items() if value}
        figures["manifest_tokens"] = count_tokens(self.manifest)
        figures["seconds"] = self.seconds
        return figures | (
            self.tokens.as_usage() if self.tokens != Tokens() else {}
        )

    def event(self, manifest: int) -> MemoriesSelected:
        """Return what the log says about the choice, for a manifest of so many
        memories.
        """
        usage = self.tokens.as_usage() if self.tokens != Tokens() else {}
        return MemoriesSelected(
            manifest=manifest,
            by=self.by,
            error=self.error or None,
            chosen=[header.filename for header in self.chosen] or None,
            invented=list(self.invented) or None,
            capped=list(self.capped) or None,
            manifest_tokens=count_tokens(self.manifest),
            seconds=self.seconds,
            input_tokens=usage.get("input_tokens"),
            cache_creation_input_tokens=usage.get(
                "cache_creation_input_tokens"
            ),
            cache_read_input_tokens=usage.get("cache_read_input_tokens"),
            output_tokens=usage.get("output_tokens"),
        )


async def select_relevant_memories(
    query: str,
    headers: Iterable[MemoryHeader],
    runtime: Runtime,
    *,
    recent_tools: Sequence[str] = (),
    surfaced: Mapping[str, int] | None = None,
    rank: Rank | None = None,
) -> Selection:
    """Ask the model which memories help with a query; if it gives no choice,
    ``rank`` proposes, or else ``keyword_rank``.

    ``surfaced`` has the memories that the session has seen: they stay in the
    manifest, which is then the same in every request of the session, and a
    name that is chosen again is dropped. Without a query or a memory that is
    still unseen there is no call. An API error, no answer
    within ``select_timeout_seconds`` of the clock, a refusal, an answer that
    cannot be read and one that contains only invented names are recorded as
    ``error`` and raise nothing. A cancellation and a TapeMiss are passed on.
    """
    from anthropic import AnthropicError

    known = tuple(headers)
    seen = surfaced or {}
    unseen = [header for header in known if header.filename not in seen]
    if not unseen or not query.strip():
        return Selection()
    settings, clock = runtime.settings, runtime.clock
    began = clock.now()
    request = selection_request(
        query,
        known,
        settings=settings,
        recent_tools=recent_tools,
        already_shown=[
            header.filename for header in known if header.filename in seen
        ],
        prompts=runtime.prompts,
    )
    helpful = [
        header
        for header in unseen
        if not explains_tool_in_use(header, recent_tools)
    ]
    rank = rank or keyword.keyword_rank
    ranked = rank(query, helpful, settings.select_max_memories)
    by_words = choose(
        (header.filename for header in ranked), helpful, settings
    )

    choice = by_words
    invented: tuple[LeftOut, ...] = ()
    by = "fallback"
    error = ""
    source = ""
    tokens = Tokens()
    try:
        reply, source = await within(
            ask_aside(runtime.client, request, settings),
            settings.select_timeout_seconds,
            clock,
        )
        tokens = Tokens.from_usage(getattr(reply, "usage", None))
        named = choose(named_in(reply), known, settings, surfaced=seen)
        if named.left_out and not named.chosen:
            invented = tuple(
                each
                for each in named.left_out
                if each.reason == "not in the manifest"
            )
            if len(invented) == len(named.left_out):
                raise UnusableError("only invented names")
        choice = named
        invented = ()
        by = "model"
    except (AnthropicError, ValueError, TimeoutError) as failure:
        pass_on_tape_miss(failure)
        error = reason(failure)
    selection = Selection(
        chosen=choice.chosen,
        left_out=(*choice.left_out, *invented),
        by=by,
        manifest=format_manifest(known, settings),
        fallback=by_words.chosen,
        error=error,
        seconds=round((clock.now() - began).total_seconds(), 3),
        tokens=tokens,
        source=source,
    )
    runtime.events.emit(selection.event(len(known)))
    return selection


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "selected_memories": {"type": "array", "items": {"type": "string"}}
    },
    "required": ["selected_memories"],
    "additionalProperties": False,
}


def selection_request(
    query: str,
    headers: Iterable[MemoryHeader],
    *,
    settings: Settings,
    recent_tools: Sequence[str] = (),
    already_shown: Sequence[str] = (),
    prompts: Prompts = SHIPPED,
) -> dict[str, Any]:
    """Build the request of the side-query, for ``ask_aside``, which adds what
    limits its thinking.

    The system prompt contains the full manifest, so it stays the same until a
    memory changes, and it ends with a cache mark. What varies is in the user
    turn. The prefix of a small store is shorter than the service's minimum
    (``cache_min_tokens``), so it is not cached, and every call pays for all of
    it.
    """
    system = prompts.load(
        "select",
        limit=str(settings.select_max_memories),
        manifest=block("manifest", format_manifest(headers, settings)),
    )
    asked = prompts.load(
        "select_request",
        query=block("query", query.encode("utf-8", "replace").decode()),
        already_shown=block("already_shown", *map(one_line, already_shown)),
        tools_in_use=block("tools_in_use", ", ".join(recent_tools)),
    )
    return {
        "model": settings.select_model,
        "max_tokens": settings.select_max_output_tokens,
        "system": [
            {
                "type": "text",
                "text": system,
                "cache_control": {"type": "ephemeral"},
            }
        ],
        "messages": [{"role": "user", "content": asked}],
        "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}},
        "extra_headers": {"X-Memlab-Purpose": "select"},
    }


class UnusableError(ValueError):
    """The model answered, and its answer is not a choice; the message says in
    a few words why.
    """


def named_in(reply: Any) -> list[str]:
    """Read the file names from a reply; raises UnusableError if there are none
    to read.
    """
    text = text_in(reply)
    try:
        return read_choice(text)
    except (ValueError, RecursionError):
        raise UnusableError("unparsable") from None


def read_choice(answer: str) -> list[str]:
    """Read the file names from a model's answer, whatever is written around
    the JSON object; raises ValueError if there are none to read.
    """
    found = json.loads(answer[answer.find("{") : answer.rfind("}") + 1])
    names = found.get("selected_memories")
    if not isinstance(names, list):
        raise ValueError("there is no list of selected memories")
    return [
        name.strip() if isinstance(name, str) else json.dumps(name)
        for name in names
    ]


def text_in(reply: Any) -> str:
    """Return the text of a reply; raises UnusableError if the model refused,
    or was cut off.
    """
    stopped = getattr(reply, "stop_reason", "")
    if stopped in ("refusal", "max_tokens"):
        raise UnusableError("refusal" if stopped == "refusal" else "truncated")
    blocks = getattr(reply, "content", None)
    if not isinstance(blocks, list):
        blocks = []
    return "".join(
        str(block.text)
        for block in blocks
        if getattr(block, "type", "") == "text"
    )


def json_in(reply: Any) -> dict[str, Any]:
    """Read the JSON object in a reply, whatever is written around it, because
    not every server keeps to a schema; raises UnusableError if there is none.
    """
    text = text_in(reply)
    try:
        found = json.loads(text[text.find("{") : text.rfind("}") + 1])
    except (ValueError, RecursionError):
        raise UnusableError("unparsable") from None
    return found if isinstance(found, dict) else {}


def reason(error: Exception) -> str:
    """Say in a few words why a side-query gave no choice."""
    if isinstance(error, UnusableError):
        return str(error)
    status = getattr(error, "status_code", "")
    name = f"{type(error).__name__} {status}".rstrip()
    if status != 400:
        return name
    # a wrong request stays wrong
    return f"{name}: {read_error(error).message}"
