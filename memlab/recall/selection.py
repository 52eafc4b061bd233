"""Choosing the memories that recall attaches: at most five, and what keeps the
others out.

``choose`` is the one place that limits recall: how many memories, which names
count, each one once per session, and how many bytes a session may get. It does
not care who proposed the names. Usually a model does, in a short call beside
the conversation (``select_relevant_memories``). If that call fails, keyword
ranking proposes them. The limits of a single file are applied where its text
is shortened (``attach``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memlab.errors import pass_on_tape_miss
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

Rank = Callable[[str, Sequence[MemoryHeader], int], Sequence[MemoryHeader]]

INVENTED = "not in the manifest"
NAME_CHARACTERS = 80
_MANIFEST_LINE = re.compile(
    r"(?:- )?(?:\[\w+\] )?(.*?)(?: \(\d{4}-\d\d-\d\dT.*)?", re.DOTALL
)
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


@dataclass(frozen=True)
class LeftOut:
    """A memory that is not attached, and why."""

    filename: str
    reason: str
    detail: str = ""


@dataclass(frozen=True)
class Selection:
    """The memories that are within the limits, best first, the ones that are
    not, and who chose: ``model``, ``fallback``, ``empty`` if nobody was asked,
    or ``off``.

    ``fallback`` is what keyword ranking chooses, whether it was needed or not;
    ``error`` says why it was. ``tokens`` are those of the call to the model.
    ``source`` is the label of an answer that the stand-in gave.
    """

    chosen: tuple[MemoryHeader, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
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


def choose(
    names: Iterable[str],
    headers: Sequence[MemoryHeader],
    settings: Settings,
    *,
    surfaced: Mapping[str, int] | None = None,
    sizes: Mapping[str, int] | None = None,
) -> Selection:
    """Apply every limit of recall to file names that somebody proposed, best
    first.

    A name counts if it means one of these memories, and only once.
    ``surfaced`` has the memories that the session has seen, with the bytes
    that each took, and ``sizes`` the bytes that attaching others takes.
    """
    proposed: dict[str, MemoryHeader] = {}
    invented: dict[str, LeftOut] = {}
    for name in names:
        header = memory_named(name, headers)
        if header is not None:
            proposed[header.filename] = header
        else:  # it goes to the log
            shown = shorten(one_line(name), NAME_CHARACTERS)
            invented[shown] = LeftOut(shown, INVENTED)

    seen = surfaced or {}
    bytes_of = {**dict.fromkeys(proposed, 0), **(sizes or {}), **seen}
    left = settings.surface_session_bytes - sum(seen.values())
    fitting = names_to_attach(list(proposed), list(seen), bytes_of, left)

    chosen: list[MemoryHeader] = []
    left_out: list[LeftOut] = []
    for file, header in proposed.items():
        if file in seen:
            left_out.append(LeftOut(file, "surfaced"))
        elif len(chosen) == settings.select_max_memories:
            left_out.append(LeftOut(file, "cap"))
        elif file not in fitting:
            detail = f"{bytes_of[file]:,} bytes, and {left:,} are left"
            left_out.append(LeftOut(file, "budget", detail))
        else:
            chosen.append(header)
            left -= bytes_of[file]
    return Selection(tuple(chosen), (*left_out, *invented.values()))


def memory_named(
    name: str, headers: Sequence[MemoryHeader]
) -> MemoryHeader | None:
    """Find the memory that a name means: the one that has it in the manifest.

    Otherwise a name without ``.md``, with another folder in front or in the
    form of a manifest line counts, if it fits exactly one memory.
    """
    same = [one for one in headers if one.filename == name]
    same = same or [one for one in headers if one_line(one.filename) == name]
    if same:
        return same[0]
    line = _MANIFEST_LINE.fullmatch(name)
    wanted = _bare(line[1] if line else name)
    near = [one for one in headers if _bare(one.filename) == wanted]
    return near[0] if len(near) == 1 else None


def _bare(file: str) -> str:
    return file.rpartition("/")[2].removesuffix(".md")


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


def explains_tool_in_use(
    header: MemoryHeader, recent_tools: Sequence[str]
) -> bool:
    """Say whether a memory documents one of these tools and does not warn
    about it: the conversation already shows that tool at work.

    It has to contain every word of the tool's name. Tools with a name of one
    word (Read, Edit) never count, because such words appear everywhere.
    """
    found = {*words(searched_text(header))}
    names = [
        {*words(tool.replace("_", " "))} - {"mcp"} for tool in recent_tools
    ]
    named = any(len(name) > 1 and name <= found for name in names)
    return named and bool(found & _EXPLAINS) and not found & _WARNS


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
    still unseen there is no call. An API error, no answer within
    ``select_timeout_seconds`` of the clock, a refusal, an answer that cannot
    be read and one that contains only invented names are recorded as
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
        already_shown=[one.filename for one in known if one.filename in seen],
        prompts=runtime.prompts,
    )
    # a tool's documentation is not proposed by words, and a warning is
    helpful = [
        header
        for header in unseen
        if not explains_tool_in_use(header, recent_tools)
    ]
    rank = rank or keyword.keyword_rank
    by_words = tuple(rank(query, helpful, settings.select_max_memories))

    choice, by, error, source, tokens = Selection(), "model", "", "", Tokens()
    try:
        reply, source = await within(
            ask_aside(runtime.client, request, settings),
            settings.select_timeout_seconds,
            clock,
        )
        tokens = Tokens.from_usage(getattr(reply, "usage", None))
        choice = choose(named_in(reply), known, settings, surfaced=seen)
        reasons = {one.reason for one in choice.left_out}
        if reasons == {INVENTED} and not choice.chosen:
            raise UnusableError("only invented names")
    except (AnthropicError, ValueError, TimeoutError) as failure:
        pass_on_tape_miss(failure)
        choice = replace(choice, chosen=by_words)
        by, error = "fallback", reason(failure)
    selection = replace(
        choice,
        by=by,
        manifest=format_manifest(known, settings),
        fallback=by_words,
        error=error,
        seconds=round((clock.now() - began).total_seconds(), 3),
        tokens=tokens,
        source=source,
    )
    usage: dict[str, Any] = tokens.as_usage() if tokens != Tokens() else {}
    runtime.events.emit(
        MemoriesSelected(
            manifest=len(known),
            by=by,
            error=error or None,
            chosen=[one.filename for one in selection.chosen] or None,
            manifest_tokens=count_tokens(selection.manifest),
            seconds=selection.seconds,
            **usage,
        )
    )
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
    (``cache_min_tokens``), so it is not cached.
    """
    system = prompts.load(
        "select",
        limit=str(settings.select_max_memories),
        manifest=block("manifest", format_manifest(headers, settings)),
    )
    asked = prompts.load(
        "select_request",
        query=block("query", query),
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
    """Read the file names from a reply, which may be a bare array; raises
    UnusableError if there are none to read.
    """
    text = text_in(reply)
    if "{" not in text:
        array = text[text.find("[") : text.rfind("]") + 1]
        text = f'{{"selected_memories": {array}}}'
    try:
        return read_choice(text)
    except ValueError:
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
    if not isinstance(blocks, list):  # some servers send something else
        return ""
    texts = [one.text for one in blocks if getattr(one, "type", "") == "text"]
    return "".join(map(str, texts))


def reason(error: Exception) -> str:
    """Say in a few words why a side-query gave no choice."""
    if isinstance(error, UnusableError):
        return str(error)
    status = getattr(error, "status_code", "")
    said = f"{type(error).__name__} {status}".rstrip()
    if status == 400:  # a wrong request stays wrong
        said += f": {read_error(error).message}"
    return said
