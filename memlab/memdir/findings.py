"""What the doctor says: symptoms, and the diagnosis that holds them all.

``doctor.md`` has, for each rule, how bad the symptom is, why it matters and how to fix it. Left
out: looking (``diagnosis``) and showing (``doctor``).
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

SEVERITIES = ("error", "warning", "note")


@dataclass(frozen=True)
class Symptom:
    """One thing that is wrong; ``file`` is named below the directory, line 0 is all of it."""

    severity: str
    file: str
    line: int
    rule: str
    what: str
    why: str
    mend: str


@dataclass(frozen=True)
class Diagnosis:
    """All that was found among so many memory files, file by file."""

    directory: Path
    memories: int
    symptoms: tuple[Symptom, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many symptoms there are of each severity."""
        found = Counter(one.severity for one in self.symptoms)
        return {severity: found[severity] for severity in SEVERITIES}

    @property
    def is_clean(self) -> bool:
        """Whether there is nothing worse than a note."""
        return all(one.severity == "note" for one in self.symptoms)

    def as_json(self) -> dict[str, Any]:
        """Give what ``--json`` prints."""
        told = {"schema": 1, "directory": str(self.directory), "memories": self.memories}
        return told | {"counts": self.counts, "findings": [asdict(one) for one in self.symptoms]}


def symptom(
    rule: str, file: str, what: str, line: int = 0, *, mend: str = "", sure: bool = True
) -> Symptom:
    """Make a symptom of a rule; one that is not ``sure`` is a note, whatever its rule says.

    ``mend`` counts where the rule itself has no remedy.
    """
    severity, why, remedy = rules().get(rule) or rules()["never-stored"]
    return Symptom(severity if sure else "note", file, line, rule, what, why, remedy or mend)


@cache
def rules() -> dict[str, tuple[str, str, str]]:
    """Read the severity, the reason and the remedy of each rule."""
    text = Path(__file__).with_name("doctor.md").read_text(encoding="utf-8")
    rows = [re.split(r" *\| *", line) for line in text.splitlines() if line.startswith("|")]
    return {rule: (severity, why, mend) for _, rule, severity, why, mend, _ in rows[2:]}
