from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from memlab.course import Case, case
from memlab.dream import GATES, gate_chain, gate_limits
from memlab.settings import Settings

_OPEN = {gate.name: gate.open_value for gate in GATES}
_NAMES = list(_OPEN)
_LIMITS = gate_limits(Settings())
# The gates that the exercise's text names.
_FIVE = {
    name: _OPEN[name]
    for name in ("toggles", "time", "throttle", "sessions", "lock")
}
_NEVER = (
    "None means never, or not yet: nothing to wait for, so the gate is open"
)
_EDGE = "a number at its limit opens the gate: 24 hours are a day"
_HELD = "a held lock shuts the last gate, and a free one leaves it open"
_SWITCH = "dreams that are not allowed end the chain at its first gate"
_ORDER = "the gates are asked in the order of the docstring, and the first shut one is named"


@dataclass(frozen=True)
class Looks:
    """The gates' answers; a gate that is not among the facts is open, and no gate after a shut one
    may be asked.
    """

    facts: tuple[tuple[str, Any], ...]

    def __call__(self, gate: str) -> Any:
        """Give one fact; raises RuntimeError for one that need not be known any more."""
        facts = _OPEN | dict(self.facts)
        shut = gate_chain(facts.__getitem__, _LIMITS)
        if shut and _NAMES.index(gate) > _NAMES.index(shut):
            raise RuntimeError(
                f"{gate!r} was looked at, though {shut!r} is shut before it"
            )
        return facts[gate]

    def __repr__(self) -> str:
        """Show the facts."""
        return f"looks({', '.join(f'{gate}={fact}' for gate, fact in self.facts)})"


def cases(random: Random) -> list[Case]:
    """Give states of the world: each gate shut, each open, numbers at their limits, and none."""
    fixed: list[tuple[Mapping[str, Any], str]] = [
        ({}, _HELD),
        ({"toggles": False}, _SWITCH),
        ({"time": 3}, _ORDER),
        ({"throttle": 4}, _ORDER),
        ({"sessions": 0}, _ORDER),
        ({"lock": True}, _HELD),
        (_LIMITS, _EDGE),
        ({"time": None}, _NEVER),
        ({"throttle": None}, _NEVER),
        ({"time": 0.0, "sessions": 0}, _ORDER),
    ]
    found = [
        _chain_case({**_FIVE, **changed}, slip) for changed, slip in fixed
    ]
    for _ in range(20):
        facts = {
            "toggles": random.random() < 0.9,
            "time": random.choice(
                [None, 23.9, 24, 50, random.randint(20, 60)]
            ),
            "throttle": random.choice([None, 9.9, 10, random.randint(8, 40)]),
            "sessions": random.choice([4, 5, 6, random.randint(3, 12)]),
            "lock": random.random() < 0.4,
        }
        found.append(_chain_case(facts, _ORDER))
    return found


def _chain_case(facts: Mapping[str, Any], slip: str) -> Case:
    looks = Looks(tuple(facts.items()))
    return case((looks, dict(_LIMITS)), gate_chain(looks, _LIMITS), slip)
