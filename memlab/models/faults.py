"""Faults on demand: what can go wrong between an agent and a model, scripted
and repeatable.

Left out: chance. A fault happens when it was asked for, as often as it was
asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memlab.errors import ModelError

FAULTS: Mapping[str, str] = {
    "rate_limited": "HTTP 429: too many requests",
    "overloaded": "HTTP 529: the service has no room",
    "server_error": "HTTP 500: the service failed",
    "bad_request": "HTTP 400: the request is refused as malformed",
    "timeout": "no answer within the client's time limit",
    "connect_error": "no connection at all",
    "cut_stream": "the connection ends in the middle of the answer",
    "stream_error": "an error event in the middle of a stream that began well",
    "refusal": "a well-formed answer whose stop reason is refusal",
    "truncated": "the answer stops half-way with stop reason max_tokens",
    "bad_json": "prose where JSON was asked for",
}
HTTP_FAULTS: Mapping[str, tuple[int, str]] = {
    "rate_limited": (429, "rate_limit_error"),
    "overloaded": (529, "overloaded_error"),
    "server_error": (500, "api_error"),
    "bad_request": (400, "invalid_request_error"),
}


@dataclass
class _Planned:
    fault: str
    purpose: str
    left: int


class FaultScript:
    """The faults still to come, each for one purpose or for any."""

    def __init__(self) -> None:
        self._planned: list[_Planned] = []

    def add(self, fault: str, *, purpose: str = "", times: int = 1) -> None:
        """Plan a fault for the next ``times`` calls of a purpose; no purpose
        means any call.

        Raises ModelError for a fault that does not exist.
        """
        check_fault(fault)
        self._planned.append(_Planned(fault, purpose, times))

    def clear(self) -> None:
        """Forget every planned fault."""
        self._planned.clear()

    def take(self, purpose: str) -> str:
        """Give the fault planned for a call of this purpose, and use it up;
        empty when none is.
        """
        for planned in self._planned:
            if planned.left > 0 and planned.purpose in ("", purpose):
                planned.left -= 1
                return planned.fault
        return ""


def check_fault(fault: str) -> None:
    """Raise ModelError, with the list to choose from, unless the fault exists."""
    if fault not in FAULTS:
        raise ModelError(
            f"no fault is called {fault!r}",
            do=f"Choose from: {', '.join(FAULTS)}",
        )
