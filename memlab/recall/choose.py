"""Which memories only explain a tool that is in use: its working usage is on screen already.

Left out: warnings. A memory that tells of a tool's trap counts most while that tool is in use, so
whatever does not clearly explain one is kept.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memlab.clock import Clock
from memlab.events import EventLog
from memlab.memdir.scan import MemoryHeader, format_manifest, one_line
from memlab.prompts import load_prompt
from memlab.recall.keyword import keyword_rank, searched_text
from memlab.recall.prefetch import wait_within
from memlab.settings import Settings
from memlab.text import count_tokens, shorten, words

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic


_EXPLAINS = frozenset(
    words("usage reference documentation docs manual guide syntax arguments parameters options")
)
_WARNS = frozenset(
    words("warning warns caution careful beware gotcha trap pitfall bug broken breaks fails never")
)


def explains_tool_in_use(header: MemoryHeader, recent_tools: Sequence[str]) -> bool:
    """Say whether a memory documents one of these tools and does not warn of it.

    It has to hold every word of the tool's name, so tools of one word (Read, Edit) never count:
    such words stand everywhere.
    """
    found = {*words(searched_text(header))}
    names = [{*words(tool.replace("_", " "))} - {"mcp"} for tool in recent_tools]
    named = any(len(name) > 1 and name <= found for name in names)
    return named and bool(found & _EXPLAINS) and not found & _WARNS


NAME_CHARACTERS = 80


@dataclass(frozen=True)
class Selection:
    """What was chosen, best first, and by whom: ``model``, ``fallback``, or ``empty`` without call.

    ``fallback`` is what words choose, whether that was needed or not; ``error`` is why it was.
    ``invented`` are names that no manifest held, ``capped`` the files beyond the limit. ``tokens``
    are the call's, by the names the service has for them.
    """

    by: str = "empty"
    chosen: tuple[MemoryHeader, ...] = ()
    manifest: str = ""
    fallback: tuple[MemoryHeader, ...] = ()
    invented: tuple[str, ...] = ()
    capped: tuple[str, ...] = ()
    error: str = ""
    seconds: float = 0.0
    tokens: Mapping[str, int] = field(default_factory=dict)

    @property
    def figures(self) -> dict[str, Any]:
        """What the log says of it; what is empty is not said."""
        chosen = [header.filename for header in self.chosen]
        said: dict[str, Any] = {"by": self.by, "error": self.error, "chosen": chosen}
        said |= {"invented": list(self.invented), "capped": list(self.capped)}
        said = {name: value for name, value in said.items() if value}
        size = {"manifest_tokens": count_tokens(self.manifest), "seconds": self.seconds}
        return said | size | dict(self.tokens)


class UnusableError(ValueError):
    """The model answered, and its answer is no choice; the message is one word why."""


def named_in(reply: Any) -> list[str]:
    """Read the file names out of a reply; raises UnusableError for one that has none to read.

    Text around the JSON object is passed over: not every server keeps to a schema.
    """
    stopped = getattr(reply, "stop_reason", "")
    if stopped in ("refusal", "max_tokens"):
        raise UnusableError("refusal" if stopped == "refusal" else "truncated")
    blocks = getattr(reply, "content", None) or ()
    text = "".join(block.text for block in blocks if block.type == "text")
    try:
        names = json.loads(text[text.find("{") : text.rfind("}") + 1])["selected_memories"]
    except (ValueError, KeyError):
        names = None
    if not isinstance(names, list):
        raise UnusableError("unparsable")
    return [name.strip() if isinstance(name, str) else json.dumps(name) for name in names]


def checked(names: Sequence[str], headers: Sequence[MemoryHeader], limit: int) -> dict[str, Any]:
    """Sort names into ``chosen`` headers, ``capped`` file names and ``invented`` names.

    A name counts once, and only as the manifest showed it or as the file has it. An invented one
    is shortened to one line for the log, and goes nowhere else.
    """
    known = {one_line(header.filename): header for header in reversed(headers)}
    known |= {header.filename: header for header in headers}
    found = list(dict.fromkeys(known[name] for name in names if name in known))
    odd = dict.fromkeys(shorten(one_line(n), NAME_CHARACTERS) for n in names if n not in known)
    beyond = tuple(header.filename for header in found[limit:])
    return {"chosen": tuple(found[:limit]), "capped": beyond, "invented": tuple(odd)}


def tokens_of(reply: Any) -> dict[str, int]:
    """Give what a reply says it cost; a server that says nothing costs 0."""
    names = ("input_tokens", "cache_read_input_tokens", "output_tokens")
    return {name: getattr(getattr(reply, "usage", None), name, 0) or 0 for name in names}


def reason(error: Exception) -> str:
    """Say in a few words why a side-query came to nothing."""
    if isinstance(error, UnusableError):
        return str(error)
    status = getattr(error, "status_code", "")
    told = f"{type(error).__name__} {status}".rstrip()
    if status != 400:
        return told
    body = getattr(error, "body", None)
    sent = body.get("error", {}) if isinstance(body, Mapping) else {}
    return f"{told}: {sent.get('message', error)}"  # a request that is wrong stays wrong


Rank = Callable[[str, Sequence[MemoryHeader], int], Sequence[MemoryHeader]]

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"selected_memories": {"type": "array", "items": {"type": "string"}}},
    "required": ["selected_memories"],
    "additionalProperties": False,
}


async def select_relevant_memories(
    query: str,
    headers: Iterable[MemoryHeader],
    *,
    client: AsyncAnthropic,
    settings: Settings,
    clock: Clock,
    events: EventLog | None = None,
    recent_tools: Sequence[str] = (),
    rank: Rank = keyword_rank,
) -> Selection:
    """Ask the model which memories help with a query; ``rank`` chooses where it cannot tell.

    Without a query or a memory there is no call. An API error, no answer within
    ``select_timeout_seconds`` of the clock, a refusal and an answer that cannot be read raise
    nothing. A cancellation passes through.
    """
    from anthropic import AnthropicError

    known = tuple(headers)
    if not known or not query.strip():
        return Selection()
    limit, began = settings.select_max_memories, clock.now()
    request = selection_request(query, known, settings=settings, recent_tools=recent_tools)
    helpful = [each for each in known if not explains_tool_in_use(each, recent_tools)]
    fallback = tuple(rank(query, helpful, limit))
    found: dict[str, Any] = {}
    try:
        reply = await _within(
            client.messages.create(**request), settings.select_timeout_seconds, clock
        )
        found = {"tokens": tokens_of(reply)}
        found |= checked(named_in(reply), known, limit) | {"by": "model"}
    except (AnthropicError, ValueError, TimeoutError) as error:
        found |= {"by": "fallback", "chosen": fallback, "error": reason(error)}
    seconds = round((clock.now() - began).total_seconds(), 3)
    manifest = format_manifest(known, settings)
    selection = Selection(manifest=manifest, fallback=fallback, seconds=seconds, **found)
    if events is not None:
        events.emit("select", manifest=len(known), **selection.figures)
    return selection


def selection_request(
    query: str,
    headers: Iterable[MemoryHeader],
    *,
    settings: Settings,
    recent_tools: Sequence[str] = (),
) -> dict[str, Any]:
    """Build the side-query's request, ready for ``client.messages.create``."""
    asked = load_prompt(
        "select_request",
        query=query.encode("utf-8", "replace").decode(),
        manifest=format_manifest(headers, settings) or "(none)",
        recent_tools=", ".join(recent_tools) or "none",
    )
    return {
        "model": settings.select_model,
        "max_tokens": settings.select_max_output_tokens,
        "system": load_prompt("select", limit=str(settings.select_max_memories)),
        "messages": [{"role": "user", "content": asked}],
        "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}},
        "extra_headers": {"X-Memlab-Purpose": "select"},
    }


async def _within(work: Coroutine[Any, Any, Any], seconds: float, clock: Clock) -> Any:
    """Await work for so many seconds of the clock at most, and never leave it behind.

    Raises TimeoutError when they have passed.
    """
    task = asyncio.get_running_loop().create_task(work, name="side-query")
    try:
        if await wait_within([task], seconds, clock):
            raise TimeoutError
        return task.result()
    finally:
        task.cancel()
        await asyncio.wait([task])
