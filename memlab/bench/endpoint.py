"""What a run asks: a model, where it is, and the runtime that reaches it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from memlab.bench.budget import BenchLedger
from memlab.events import EventLog
from memlab.models.tape import REPEAT_HEADER
from memlab.runtime import Runtime

PATIENCE = 300.0
"""Seconds that a choice of memories may take: the bench measures what a model
answers, and shows how long that took.
"""


@dataclass(frozen=True)
class Endpoint:
    """What is asked: a runtime whose calls go through ``ledger``, what the
    model is called, and where it is. ``asked`` is the name that requests
    have, where that differs. ``paid`` says whether a person has to agree to
    the costs. ``recorded`` is the date of the tape that answers. ``mark``
    tells it apart, in the name of a log, from another server whose model has
    the same name.
    """

    runtime: Runtime
    ledger: BenchLedger
    model: str
    mode: str
    where: str = ""
    asked: str = ""
    paid: bool = False
    recorded: str = ""
    mark: str = ""

    def __post_init__(self) -> None:
        settings = self.runtime.settings.with_changes(
            select_timeout_seconds=PATIENCE
        )
        object.__setattr__(
            self, "runtime", self.runtime.with_changes(settings=settings)
        )

    def repeat(self, number: int, clients: dict[int, Any]) -> Runtime:
        """Return the runtime for one repeat; ``clients`` has those that were
        made already.
        """
        if number not in clients:
            clients[number] = self.runtime.client.with_options(
                default_headers={REPEAT_HEADER: str(number)}
            )
        return self.runtime.with_changes(
            client=clients[number], events=EventLog(self.runtime.clock)
        )
