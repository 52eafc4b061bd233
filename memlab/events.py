"""The log of what happened, and the kinds of events in it.

Background work reports here and never prints. The log records what was decided
elsewhere; nothing reads it to decide what happens next. It is kept in memory:
a caller that wants it on disk subscribes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from typing import Any, ClassVar, TypeVar, dataclass_transform

from memlab.clock import Clock

_NOT_LOGGED = datetime.min.replace(tzinfo=UTC)


@dataclass_transform(frozen_default=True, kw_only_default=True)
@dataclass(frozen=True, kw_only=True)
class Event:
    """One thing that happened; the log adds the time.

    Each kind is a subclass whose fields are its figures; it is a frozen
    dataclass as this one is. A field that is None has nothing to say about
    this event.
    """

    name: ClassVar[str] = "event"
    at: datetime = field(default=_NOT_LOGGED, repr=False)

    def __init_subclass__(cls, name: str = "") -> None:
        cls.name = name or cls.name
        dataclass(frozen=True, kw_only=True)(cls)

    @property
    def figures(self) -> dict[str, Any]:
        """The fields that say something, by name, without the time."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        del values["at"]
        return {
            name: value for name, value in values.items() if value is not None
        }

    def __str__(self) -> str:
        figures = " ".join(
            f"{name}={value}" for name, value in self.figures.items()
        )
        stamp = f"{self.at:%H:%M:%S}.{self.at.microsecond // 1000:03d}"
        return f"{stamp} {self.name} {figures}".rstrip()


E = TypeVar("E", bound=Event)
Listener = Callable[[Event], None]


class EventLog:
    """Events in the order they were emitted, each with the clock's time."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._events: list[Event] = []
        self._listeners: list[Listener] = []

    def emit(self, event: E) -> E:
        """Log an event with the present time, pass it to every subscriber, and
        return it.
        """
        logged = replace(event, at=self._clock.now())
        self._events.append(logged)
        for listener in tuple(self._listeners):
            listener(logged)
        return logged

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call ``listener`` with each new event, until the returned function
        is called.
        """
        self._listeners.append(listener)

        def unsubscribe() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return unsubscribe

    def of(self, *kinds: type[E]) -> list[E]:
        """Return the events of these kinds, oldest first."""
        return [event for event in self._events if isinstance(event, kinds)]

    def __iter__(self) -> Iterator[Event]:
        return iter(tuple(self._events))

    def __len__(self) -> int:
        return len(self._events)


# -- A turn
# -------------------------------------------------------------------------------------


class TurnEnded(Event, name="turn_ended"):
    """A turn has a result; ``reason`` is that of the last answer, or why there
    is none.
    """

    reason: str
    calls: int


class TurnInterrupted(Event, name="turn_interrupted"):
    """A turn was cancelled or raised; ``by`` is the name of the exception."""

    by: str


class Compacted(Event, name="compacted"):
    """A summary replaced these messages, or the session's notes did (``by``).

    ``kept`` messages stayed beside it. ``tokens`` are those of the request
    before, and ``after`` those of the next one, estimated.
    """

    messages: int
    tokens: int
    by: str | None = None
    kept: int | None = None
    after: int | None = None


class CompactionFailed(Event, name="compact_failed"):
    """The conversation stays as long as it is."""

    reason: str


class ToolEvent(Event):
    """One tool call; ``by`` is the purpose of the fork that made it, None for
    the main agent.
    """

    by: str | None = None
    tool: str


class ToolRan(ToolEvent, name="tool"):
    """A tool ran and did what it was asked."""


class ToolFailed(ToolEvent, name="tool_failed"):
    """A tool could not do what it was asked, or there is no such tool."""

    reason: str


class ToolDenied(ToolEvent, name="tool_denied"):
    """The permission refused a tool call."""

    reason: str


# -- Background work
# ----------------------------------------------------------------------------


class ForkEnded(Event, name="forked"):
    """A forked agent has ended; the four numbers of tokens are sums over its
    calls.
    """

    by: str
    ended: str
    turns: int
    read: int
    created: int
    uncached: int
    output: int
    hit: float
    denied: int


class StopHookFailed(Event, name="stop_hook_failed"):
    """A stop hook raised; the turn is not affected."""

    hook: str
    error: str


class BackgroundCutOff(Event, name="drain_cut_off"):
    """Background tasks were cancelled because they took longer than the limit."""

    after: float
    tasks: str


class NoticeFailed(Event, name="notice_failed"):
    """Telling the person about saved memories raised."""

    reason: str


# -- Recall
# -------------------------------------------------------------------------------------


class MemoriesSelected(Event, name="select"):
    """One choice from a manifest of so many memories; the tokens are those of
    the side-query.
    """

    manifest: int
    by: str
    error: str | None = None
    chosen: list[str] | None = None
    manifest_tokens: int
    seconds: float
    input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    output_tokens: int | None = None


class MemoriesRecalled(Event, name="recall"):
    """One recall: the attached files with their bytes, the others by the
    reason.
    """

    by: str
    attached: Mapping[str, int]
    left_out: Mapping[str, Any]


class Prefetched(Event, name="prefetch"):
    """One recall beside the main call has ended.

    ``when`` is ``in time``, ``after tools``, ``late``, ``cancelled`` or
    ``failed``; ``seconds`` run from its start.
    """

    when: str
    seconds: float
    found: int
    error: str | None = None


# -- Runs over new messages: each event names the range of messages it is about
# ------------------------------


class RunEvent(Event):
    """Something about a range of messages."""

    messages: int
    first: str | None
    last: str | None


class RunStashed(RunEvent):
    """A turn ended while a run was under way; the next run takes these
    messages.
    """


class RunSkipped(RunEvent):
    """These messages were not given to a fork; only ``throttle`` leaves them
    to a later run.
    """

    reason: str


class RunStarted(RunEvent):
    """A fork looks at these messages."""


class RunCompleted(RunEvent):
    """A fork has looked at these messages and saved ``files``."""

    files: str
    turns: int
    read: int
    created: int
    uncached: int
    output: int
    hit: float


class RunFailed(RunEvent):
    """A run did not get to its end; ``files`` are what it saved before."""

    reason: str
    files: str


class ExtractionStashed(RunStashed, name="extract_stashed"):
    """Messages that wait for the next extraction."""


class ExtractionSkipped(RunSkipped, name="extract_skipped"):
    """Messages from which no fork extracts."""


class ExtractionStarted(RunStarted, name="extract_started"):
    """An extraction has begun."""


class ExtractionCompleted(RunCompleted, name="extracted"):
    """An extraction has ended well."""


class ExtractionFailed(RunFailed, name="extract_failed"):
    """An extraction did not get to its end."""


class NotesStashed(RunStashed, name="notes_stashed"):
    """Messages that wait for the next run of the session's notes."""


class NotesSkipped(RunSkipped, name="notes_skipped"):
    """Messages that do not go into the session's notes."""


class NotesStarted(RunStarted, name="notes_started"):
    """A fork begins to bring the session's notes up to date."""


class NotesWritten(RunCompleted, name="notes_written"):
    """The session's notes are up to date with these messages."""


class NotesFailed(RunFailed, name="notes_failed"):
    """The session's notes are not up to date with these messages."""


# -- Dreams
# -------------------------------------------------------------------------------------


class DreamStarted(Event, name="dream_fired"):
    """A dream has the lock and begins."""

    hours_since: float | None = None
    sessions_since: int


class DreamCompleted(Event, name="dream_completed"):
    """A dream ended well; ``files`` are the memories it changed."""

    cache_read: int
    cache_created: int
    output: int
    sessions_reviewed: int
    files: str


class DreamFailed(Event, name="dream_failed"):
    """A dream failed, was stopped or could not start; the memory is as it was."""

    reason: str
