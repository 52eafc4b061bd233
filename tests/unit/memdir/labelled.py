"""The labelled cases of `data/labelled/checks`, as the memories and arguments they stand for."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml

from memlab.memdir.memory import Memory, MemoryType
from memlab.memdir.policy import Finding, lint_memory

FOLDER = Path(__file__).resolve().parents[3] / "data" / "labelled" / "checks"
WEDNESDAY = "2026-03-18T10:00:00+00:00"
STRENGTH = {"pass": 0, "flag": 1, "refuse": 2}


@dataclass(frozen=True)
class Case:
    """One labelled case: what is written, and what its own rule should say."""

    id: str
    half: str
    rule: str
    expect: str
    memory: Memory
    now: datetime
    existing: tuple[Memory, ...]
    project_instructions: str
    date: str
    line: int | None
    also_says: tuple[str, ...]
    never_says: tuple[str, ...]

    def findings(self) -> tuple[Finding, ...]:
        return lint_memory(
            self.memory,
            now=self.now,
            existing=self.existing,
            project_instructions=self.project_instructions,
        )

    def got(self) -> str:
        """Return the strongest verdict of the rule the case is about."""
        verdicts = [one.severity for one in self.findings() if self.rule in ("any", one.rule)]
        return max(verdicts, key=STRENGTH.__getitem__, default="pass")


def cases(name: str = "*", half: str | None = None) -> list[Case]:
    """Read the cases of one file, or of all, in order."""
    found = [
        _case(raw)
        for file in sorted(FOLDER.glob(f"{name}.yaml"))
        for raw in yaml.safe_load(file.read_text(encoding="utf-8"))
    ]
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


def _case(raw: dict[str, Any]) -> Case:
    usual = {
        "name": "What Robin said",
        "description": "Something the owner's developer told the agent",
        "type": "user",
        "body": raw.get("text", ""),
    }
    return Case(
        id=raw["id"],
        half=raw["half"],
        rule=raw["rule"],
        expect=raw["expect"],
        memory=_memory(raw.get("memory", usual)),
        now=datetime.fromisoformat(raw.get("now", WEDNESDAY)),
        existing=tuple(_memory(one, kept=True) for one in raw.get("existing", ())),
        project_instructions=raw.get("project_instructions", ""),
        date=raw.get("date", ""),
        line=raw.get("line"),
        also_says=tuple(raw.get("also_says", ())),
        never_says=tuple(raw.get("never_says", ())),
    )


def _memory(raw: dict[str, Any], *, kept: bool = False) -> Memory:
    text: dict[str, Any] = {
        key: str(value).replace("¦", "") for key, value in raw.items() if key != "type"
    }
    file = re.sub(r"\W+", "-", raw["name"].lower()) + ".md"
    kind = MemoryType(raw["type"]) if raw["type"] else None
    return Memory(**text, type=kind, path=Path(file) if kept else None)
