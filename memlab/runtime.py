"""What everything that calls a model works with: client, clock, settings,
event log and prompts.

It is built in one place, ``memlab.models.connect.make_runtime``, and passed
down as one argument. A function that needs only the clock or the settings
takes just these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from memlab.clock import Clock
from memlab.events import EventLog
from memlab.prompts import SHIPPED, Prompts
from memlab.settings import Settings

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

SOURCE_HEADER = "x-memlab-source"


def answer_source(headers: Mapping[str, str]) -> str:
    """Return the label that the stand-in gives its answer; "" for the answer
    of a real model.
    """
    return unquote(headers.get(SOURCE_HEADER, ""))


@dataclass(frozen=True)
class Runtime:
    """One conversation's surroundings; all parts of an agent share it.

    ``tape`` is the file that the answers are recorded on or come from, if
    there is one.
    """

    client: AsyncAnthropic
    clock: Clock
    settings: Settings
    events: EventLog
    prompts: Prompts = SHIPPED
    tape: Path | None = None

    def with_changes(
        self,
        *,
        client: AsyncAnthropic | None = None,
        clock: Clock | None = None,
        settings: Settings | None = None,
        events: EventLog | None = None,
        prompts: Prompts | None = None,
    ) -> Runtime:
        """Return a copy in which some parts are replaced."""
        return Runtime(
            client=client or self.client,
            clock=clock or self.clock,
            settings=settings or self.settings,
            events=self.events if events is None else events,
            prompts=prompts or self.prompts,
            tape=self.tape,
        )
