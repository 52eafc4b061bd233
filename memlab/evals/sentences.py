"""Ordinary sentences: what a conversation of one message leaves in memory,
against the labels.

Run as ``python -m memlab.evals.sentences``; with ``--final`` it measures the
half *final* as well. Every sentence is said to the assembled agent, in a
project of its own, so that what is measured is the whole way from the message
to the file. The format of a case and what the counts mean is described in
``data/labelled/README.md``.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from itertools import permutations
from pathlib import Path
from typing import Any

from memlab.clock import CourseClock
from memlab.evals.command import in_one_sentence
from memlab.evals.labelled import HALVES, LABELLED, read_yaml
from memlab.harness import Harness, HarnessOptions
from memlab.memdir.index import INDEX
from memlab.memdir.memory import Memory, MemoryType, parse_memory
from memlab.memdir.paths import Where, forget_paths
from memlab.memdir.store import MemoryStore
from memlab.memdir.toggles import Toggles
from memlab.models.connect import make_runtime
from memlab.models.model import OfflineModel

FOLDER = LABELLED / "sentences"
USUAL_DAY = date(2026, 6, 16)
"""When a case was said that names no day."""

Case = Mapping[str, Any]


@dataclass(frozen=True)
class Outcome:
    """What became of one case; the lists have one line for each mistake."""

    case: Case
    saved: tuple[Memory, ...] = ()
    correct: bool = True
    wrong: tuple[str, ...] = ()
    overwritten: tuple[str, ...] = ()
    kept_on: tuple[str, ...] = ()
    switched_off: bool = False

    @property
    def mistakes(self) -> list[str]:
        """Say in words what is not as the label wants it."""
        lines = (
            []
            if self.correct
            else ["missed: " + "; ".join(map(_wish, self.case["save"]))]
        )
        lines += [f"saved wrongly: {text}" for text in self.wrong]
        lines += [f"overwritten: {file}" for file in self.overwritten]
        lines += [f"not forgotten: {file}" for file in self.kept_on]
        if self.switched_off != bool(self.case.get("ignore_memory")):
            lines.append(
                f"memory switched {'off' if self.switched_off else 'on'}"
            )
        return lines


@dataclass(frozen=True)
class Figures:
    """The counts of one half."""

    half: str
    outcomes: tuple[Outcome, ...]

    @property
    def row(self) -> dict[str, int]:
        """Return every count by its name."""
        to_save = [
            outcome for outcome in self.outcomes if outcome.case.get("save")
        ]
        switches = [
            outcome
            for outcome in self.outcomes
            if "ignore_memory" in outcome.case
        ]
        return {
            "cases": len(self.outcomes),
            "to be saved": len(to_save),
            "saved correctly": sum(outcome.correct for outcome in to_save),
            "missed": sum(not outcome.correct for outcome in to_save),
            "saved wrongly": sum(
                len(outcome.wrong) for outcome in self.outcomes
            ),
            "overwritten": sum(
                len(outcome.overwritten) for outcome in self.outcomes
            ),
            "not forgotten": sum(
                len(outcome.kept_on) for outcome in self.outcomes
            ),
            "switch wrong": sum(
                outcome.switched_off != bool(outcome.case["ignore_memory"])
                for outcome in switches
            ),
        }


def load_cases(half: str, folder: Path = FOLDER) -> list[Case]:
    """Read one half of the set."""
    return list(read_yaml(folder / f"{half}.yaml"))


async def measure(half: str, cases: Iterable[Case]) -> Figures:
    """Say every sentence of a half to an agent of its own, and judge what is
    left in memory.
    """
    return Figures(half, tuple([await judge(case) for case in cases]))


async def judge(case: Case) -> Outcome:
    """Say one sentence in an empty project, and compare the memory directory
    with the label.
    """
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        workspace = _Workspace(home, case)
        await workspace.say()
        return compare(
            case, workspace.before, workspace.after(), workspace.switched_off
        )


@dataclass
class _Workspace:
    """A project with the memories that a case starts from."""

    home: Path
    case: Case
    switched_off: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        project = self.home / "project"
        project.mkdir()
        (project / "CLAUDE.md").write_text(
            self.case.get("claude_md", ""), encoding="utf-8"
        )
        forget_paths()
        day = date.fromisoformat(str(self.case.get("date", USUAL_DAY)))
        clock = CourseClock(datetime.combine(day, time(9), UTC))
        self.harness = Harness(
            project,
            HarnessOptions(
                runtime=make_runtime(
                    "offline", model=OfflineModel(clock=clock)
                ),
                base=self.home / ".memlab",
                where=Where(self.home, "/home/robin"),
                environ={},
                toggles=Toggles(auto_dream=False),
            ),
        )
        self.memory = self.harness.memory
        # The memories of a case are older than the policy, so nothing judges
        # them.
        store = MemoryStore(
            self.memory, clock=clock, checks=lambda memory, **known: ()
        )
        for given in self.case.get("existing", ()):
            kind = MemoryType.parse(given["type"])
            path = self.memory / given["file"]
            store.write(
                Memory(
                    given["name"],
                    given["description"],
                    kind,
                    given["body"],
                    path,
                )
            )
        # the index has to show what was written after it was read
        self.harness._start_over()
        self.before = self.after()

    async def say(self) -> None:
        """Say the sentence, and wait for everything that follows it."""
        await self.harness.say(self.case["said"])
        await self.harness.drain()
        self.switched_off = self.harness.mode == "off"

    def after(self) -> dict[str, str]:
        """Return the text of every file in the memory directory by name."""
        files = sorted(self.memory.glob("*.md"))
        return {path.name: path.read_text(encoding="utf-8") for path in files}


def compare(
    case: Case,
    before: Mapping[str, str],
    after: Mapping[str, str],
    switched_off: bool = False,
) -> Outcome:
    """Compare the memory directory before and after a sentence with its label."""
    known = [name for name in before if name != INDEX]
    changed = {
        name: parse_memory(text)
        for name, text in after.items()
        if name != INDEX and before.get(name) != text
    }
    wishes = case.get("save") or []
    corrected = case.get("corrects", "")
    met = _best_match(wishes, changed)
    never = [text.lower() for text in case.get("never", ())]
    wrong = []
    for name, memory in changed.items():
        forbidden = [text for text in never if text in memory.text.lower()]
        if name not in met or forbidden:
            wrong.append(f"{name}: {' '.join(memory.text.split())}")
    if (
        any(text in after.get(INDEX, "").lower() for text in never)
        and not wrong
    ):
        wrong.append(f"{INDEX}: {after[INDEX]}")
    removed = case.get("removed") or []
    may_change = {corrected, *removed}
    return Outcome(
        case,
        tuple(changed.values()),
        len(met) == len(wishes),
        tuple(wrong),
        tuple(
            n
            for n in known
            if n not in may_change and after.get(n) != before[n]
        ),
        tuple(name for name in removed if name in after),
        switched_off,
    )


def _best_match(
    wishes: Sequence[Case], saved: Mapping[str, Memory]
) -> set[str]:
    """Name the memories that meet a wish, each a different one, so that most
    wishes are met.
    """
    best: set[str] = set()
    for order in permutations(saved, min(len(wishes), len(saved))):
        met = {
            name
            for wish, name in zip(wishes, order, strict=False)
            if meets(saved[name], wish)
        }
        best = max(best, met, key=len)
    return best


def meets(memory: Memory, wish: Case) -> bool:
    """Tell whether a memory holds everything that a wish asks for."""
    text = memory.text.lower()
    kinds = [kind.strip() for kind in str(wish.get("type", "")).split("|")]
    if kinds != [""] and str(memory.type) not in kinds:
        return False
    if "date" in wish and str(wish["date"]) not in text:
        return False
    return all(
        any(part.strip().lower() in text for part in str(needed).split("|"))
        for needed in wish["must_contain"]
    )


def table(figures: Sequence[Figures]) -> str:
    """Write the counts as a Markdown table, one row per half."""
    names = list(figures[0].row)
    lines = [
        "| half | " + " | ".join(names) + " |",
        "| --- |" + " ---: |" * len(names),
    ]
    for half in figures:
        lines.append(
            f"| {half.half} | "
            + " | ".join(map(str, half.row.values()))
            + " |"
        )
    return "\n".join(lines)


def kinds_table(figures: Figures) -> str:
    """Write the mistakes per kind of sentence."""
    mistakes = Counter(
        outcome.case["kind"]
        for outcome in figures.outcomes
        if outcome.mistakes
    )
    total = Counter(outcome.case["kind"] for outcome in figures.outcomes)
    return "\n".join(
        f"{kind}: {mistakes[kind]} of {total[kind]} not as wanted"
        for kind in total
    )


@in_one_sentence()
def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; ``--mistakes`` lists the cases of *work* that are not
    as wanted.
    """
    parser = argparse.ArgumentParser(prog="python -m memlab.evals.sentences")
    parser.add_argument(
        "--final", action="store_true", help="measure the half 'final' as well"
    )
    parser.add_argument(
        "--mistakes", action="store_true", help="list the mistakes on 'work'"
    )
    chosen = parser.parse_args(arguments)
    halves = HALVES if chosen.final else HALVES[:1]
    figures = [asyncio.run(measure(half, load_cases(half))) for half in halves]
    print(table(figures))
    if chosen.mistakes:
        print()
        for outcome in figures[0].outcomes:
            for line in outcome.mistakes:
                print(f"{outcome.case['id']}: {line}")
        print()
        print(kinds_table(figures[0]))
    return 0


def _wish(wish: Case) -> str:
    parts = [
        f"{wish.get('type')}",
        *map(str, wish["must_contain"]),
        str(wish.get("date", "")),
    ]
    return " / ".join(part for part in parts if part)


if __name__ == "__main__":
    sys.exit(main())
