"""Recalls in all their states, in every order."""

from __future__ import annotations

from asyncio import CancelledError, InvalidStateError
from random import Random
from typing import Any

from memlab.course import Case, case

STATES = ("done", "running", "failed", "cancelled")
NAMES = ("ferry", "tabs", "sql", "tides", "board")
ORDER = "The texts are in the order of the tasks"
REMOVED = "Every task that has ended is removed, also the one after another"
SAME = (
    "`recalls` itself has not changed. A new list of that name is one that the"
    " caller never sees"
)
STAYS = "Tasks that are still running stay in recalls, in the same order"
OFTEN = 20
FAILED = "A task that failed or was cancelled is removed and gives no text"
EMPTY = "A recall may have found nothing"


class Task:
    """Behaves as an asyncio task does."""

    def __init__(self, state: str, texts: list[str]) -> None:
        self._state = state
        self._texts = texts
        self._asked = 0

    def done(self) -> bool:
        """Tell whether it has ended; raises if somebody waits for it."""
        self._asked += 1
        if self._state == "running" and self._asked > OFTEN:
            raise RuntimeError("done() was called again and again: don't wait")
        return self._state != "running"

    def cancelled(self) -> bool:
        """Tell whether it was cancelled."""
        return self._state == "cancelled"

    def exception(self) -> Exception | None:
        """Return what it raised."""
        self._end()
        return RuntimeError("no answer") if self._state == "failed" else None

    def result(self) -> list[str]:
        """Return its texts."""
        self._end()
        if self._state == "failed":
            raise RuntimeError("no answer")
        return list(self._texts)

    def _end(self) -> None:
        if self._state == "running":
            raise InvalidStateError("Result is not ready.")
        if self._state == "cancelled":
            raise CancelledError

    def __repr__(self) -> str:
        return _words((self._state, self._texts))


def cases(random: Random) -> list[Case]:
    """Make every state, neighbours that have ended, and random lists."""
    ferry, tabs = ["ferry"], ["tabs", "sql"]
    fixed: list[tuple[list[tuple[str, list[str]]], str]] = [
        ([], "An empty list gives an empty list"),
        ([("done", ferry)], SAME),
        ([("running", [])], STAYS),
        ([("done", ferry), ("done", tabs)], REMOVED),
        ([("running", ferry), ("running", tabs)], STAYS),
        ([("done", ferry), ("running", []), ("done", tabs)], ORDER),
        ([("failed", []), ("done", ferry)], FAILED),
        ([("cancelled", []), ("done", ferry)], FAILED),
        ([("done", ferry), ("cancelled", [])], FAILED),
        ([("failed", []), ("failed", []), ("running", [])], FAILED),
        ([("done", []), ("done", ferry)], EMPTY),
        ([("done", tabs), ("done", tabs)], "Texts that are alike stay apart"),
    ]
    found = [_case(states, slip) for states, slip in fixed]
    for _ in range(15):
        states = []
        for _ in range(random.randint(1, 6)):
            state = random.choice(STATES)
            count = random.randint(0, 2)
            if state in ("failed", "cancelled"):
                count = 0
            states.append((state, random.sample(NAMES, count)))
        slip = f"{ORDER}; {REMOVED}; {STAYS}; {FAILED}; {EMPTY}"
        found.append(_case(states, slip))
    return found


def _case(states: list[tuple[str, list[str]]], slip: str) -> Case:
    texts = []
    for state, found in states:
        if state == "done":
            texts += found
    left = [_words(one) for one in states if one[0] == "running"]
    shown = ", ".join(_words(one) for one in states)
    return case(
        (states,),
        [texts, left],
        slip,
        call=f"recalls = [{shown}]",
        returned="afterwards",
        lines=_lines,
    )


def run(mine: Any, states: list[tuple[str, list[str]]]) -> Any:
    """Call the function with tasks; gives its result, and what is left."""
    recalls = [Task(state, texts) for state, texts in states]
    texts = mine(recalls)
    if not isinstance(texts, list):
        return texts
    return [texts, [repr(recall) for recall in recalls]]


def _lines(found: list[Any]) -> list[str]:
    texts, left = found
    return [f"returned {texts}", f"recalls = [{', '.join(left)}]"]


def _words(one: tuple[str, list[str]]) -> str:
    state, texts = one
    return f"{state}({texts if texts else ''})"
