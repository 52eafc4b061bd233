"""The labelled cases of `data/labelled/checks`, as memories and arguments."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    InstanceOf,
    model_validator,
)

from memlab.evals.labelled import LABELLED, read_yaml
from memlab.memdir.memory import Memory, MemoryType
from memlab.memdir.rules import Finding, check

FOLDER = LABELLED / "checks"
WEDNESDAY = datetime(2026, 3, 18, 10, tzinfo=UTC)
STRENGTH = {"pass": 0, "flag": 1, "refuse": 2}


def _memory(raw: dict[str, Any]) -> Memory:
    text: dict[str, Any] = {
        key: str(value).replace("¦", "") for key, value in raw.items() if key != "type"
    }
    kind = MemoryType(raw["type"]) if raw["type"] else None
    return Memory(**text, type=kind)


def _kept_memory(raw: dict[str, Any]) -> Memory:
    file = re.sub(r"\W+", "-", raw["name"].lower()) + ".md"
    return replace(_memory(raw), path=Path(file))


class Case(BaseModel):
    """One labelled case: what is written, and what its own rule should say."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    half: Literal["work", "final"]
    rule: str
    expect: Literal["pass", "flag", "refuse"]
    reason: str
    memory: Annotated[InstanceOf[Memory], BeforeValidator(_memory)]
    now: AwareDatetime = WEDNESDAY
    existing: tuple[Annotated[InstanceOf[Memory], BeforeValidator(_kept_memory)], ...] = ()
    project_instructions: str = ""
    date: str = ""
    line: int | None = None
    also_says: tuple[str, ...] = ()
    never_says: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _text_of_a_harmless_memory(cls, raw: dict[str, Any]) -> dict[str, Any]:
        if "text" not in raw:
            return raw
        memory = {
            "name": "What Robin said",
            "description": "Something the owner's developer told the agent",
            "type": "user",
            "body": raw["text"],
        }
        return {key: value for key, value in raw.items() if key != "text"} | {"memory": memory}

    def findings(self) -> tuple[Finding, ...]:
        instructions = self.project_instructions
        found = check(self.memory, self.now, self.existing, project_instructions=instructions)
        return tuple(found)

    def got(self) -> str:
        """Return the strongest verdict of the rule the case is about."""
        verdicts = [one.severity for one in self.findings() if self.rule in ("any", one.rule)]
        return max(verdicts, key=STRENGTH.__getitem__, default="pass")


def cases(name: str = "*", half: str | None = None) -> list[Case]:
    """Read the cases of one file, or of all, in order."""
    files = sorted(FOLDER.glob(f"{name}.yaml"))
    found = [case for file in files for case in map(Case.model_validate, read_yaml(file))]
    return [case for case in found if half in (None, case.half)]


def figures(rule: str, found: list[tuple[Case, tuple[Finding, ...]]]) -> tuple[int, int, int, int]:
    """Count, for one rule over all cases: rightly found, wrongly found, missed, wrong severity.

    A finding of a rule is wrong in every case that is not labelled with it.
    """
    count: Counter[str] = Counter()
    for case, findings in found:
        verdicts = [one.severity for one in findings if one.rule == rule]
        got = max(verdicts, key=STRENGTH.__getitem__, default="pass")
        want = case.expect if case.rule == rule else "pass"
        count["right"] += got != "pass" and want != "pass"
        count["wrong"] += got != "pass" and want == "pass"
        count["missed"] += got == "pass" and want != "pass"
        count["severity"] += got != "pass" and want not in ("pass", got)
    return count["right"], count["wrong"], count["missed"], count["severity"]
