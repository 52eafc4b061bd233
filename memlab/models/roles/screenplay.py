"""Screenplays: what the offline model says in a story's conversation, on
conditions you can read.

A turn is found by the person's exact words, a step by how often the model has
answered since. A step is a list of alternatives; the first whose ``if`` texts
all stand somewhere in the request is taken. Left out: variables, loops.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from memlab.errors import ScreenplayError
from memlab.models.request import ModelRequest
from memlab.text import fold_space


@dataclass(frozen=True)
class Line:
    """One alternative: the texts it needs, what it says, and the tools it
    calls.
    """

    needs: tuple[str, ...]
    say: str
    tools: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class Screenplay:
    """One story's turns: the person's words → the steps, each a list of
    alternatives.
    """

    title: str
    turns: Mapping[str, tuple[tuple[Line, ...], ...]]

    def line_for(self, request: ModelRequest) -> Line | None:
        """Give the line that answers a request, or None when the story does
        not hold it.
        """
        steps = self.turns.get(request.said, ())
        if request.answers_since >= len(steps):
            return None
        read = fold_space(request.text).lower()
        for line in steps[request.answers_since]:
            if all(fold_space(need).lower() in read for need in line.needs):
                return line
        return None


def load_screenplay(path: Path) -> Screenplay:
    """Read a screenplay from YAML; raises ScreenplayError naming the file and
    the part.
    """
    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ScreenplayError(
            f"cannot be read: {error}", where=path.name
        ) from error
    if not isinstance(raw, dict) or not isinstance(raw.get("turns"), list):
        raise ScreenplayError(
            "needs a title and a list of turns", where=path.name
        )
    turns = {}
    for number, turn in enumerate(raw["turns"], 1):
        where = f"{path.name}, turn {number}"
        if not isinstance(turn, dict) or not isinstance(turn.get("user"), str):
            raise ScreenplayError(
                "needs 'user': the person's words", where=where
            )
        if not isinstance(turn.get("steps"), list) or not turn["steps"]:
            raise ScreenplayError("needs 'steps': at least one", where=where)
        turns[fold_space(turn["user"])] = tuple(
            _step(step, where) for step in turn["steps"]
        )
    return Screenplay(str(raw.get("title", path.stem)), turns)


def _step(step: Any, where: str) -> tuple[Line, ...]:
    alternatives = step if isinstance(step, list) else [step]
    return tuple(_line(alternative, where) for alternative in alternatives)


def _line(raw: Any, where: str) -> Line:
    if not isinstance(raw, dict) or not (raw.get("say") or raw.get("tools")):
        raise ScreenplayError(
            "an alternative needs 'say' or 'tools'", where=where
        )
    if unknown := sorted(set(raw) - {"if", "say", "tools"}):
        raise ScreenplayError(
            f"does not know {unknown}", where=where, do="Use if, say, tools"
        )
    needs = raw.get("if") or []
    tools = raw.get("tools") or []
    for tool in tools:
        if not isinstance(tool, dict) or not isinstance(
            tool.get("input"), dict
        ):
            raise ScreenplayError(
                "a tool needs 'name' and 'input'", where=where
            )
    return Line(
        needs=tuple(
            str(need)
            for need in ([needs] if isinstance(needs, str) else needs)
        ),
        say=str(raw.get("say") or "").strip(),
        tools=tuple(tools),
    )
