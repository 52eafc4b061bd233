"""What everything that calls a model works with: client, clock, settings,
event log and prompts.

It is built in one place, ``memlab.models.connect.make_runtime``, and passed
down as one argument. A function that needs only the clock or the settings
takes just these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
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

    def with_changes(self, **parts: Any) -> Runtime:
        """Return a copy in which some parts are replaced, by their names; a
        part that is None stays as it is.
        """
        given = {
            name: part for name, part in parts.items() if part is not None
        }
        return replace(self, **given)
