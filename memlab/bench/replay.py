"""Tables of what was recorded: memlab's own prompts and their variants, judged
by today's labels.

Every recording is compared with the first recording of memlab's own prompts
(``base``), on the cases that both were asked. The second recording of
``base``, made in other contexts, shows how much answers differ by chance.
Attacks are counted separately, because what is stored after an attack shows
what code stopped, not what a model resists.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from memlab.bench.compare import HEAD, Answers, Row, rows_of
from memlab.bench.recorded import LABEL, PARTS, Recorded, hashes, recorded
from memlab.bench.tasks import TASKS, Judged, Task, ask_case, is_attack
from memlab.bench.variants import BASE, load_variant, variant_table
from memlab.clock import SystemClock
from memlab.errors import MemlabError
from memlab.models.connect import make_runtime
from memlab.models.offline import OfflineModel
from memlab.prompts import PURPOSES, SHIPPED

PAGE = Path(__file__).parents[2] / "notebooks" / "prompts.md"
RECORD_AGAIN = (
    "{} recorded answers of the task {} are stale: memlab sends other requests"
    " now. `python -m memlab.bench.replay --stale` lists them, and"
    ' CONTRIBUTING.md says under "Change a prompt" how to record them again.'
)


@cache
def answers(task: Task, half: str) -> Answers:
    """Judge the recordings of a half, in the order of recording."""
    labels = {label.id: label for label in task.cases(half)}
    found: dict[str, dict[str, list[Judged]]] = {}
    for one in recorded(task.name):
        if one.case in labels:
            name = one.variant + ("" if one.run == "a" else " again")
            judged = task.judge(labels[one.case], one.stored, one.error)
            found.setdefault(name, {})[one.case] = [judged]
    return found


@cache
def rows(task: Task, half: str) -> list[Row]:
    """Compare every recording of a half with ``base``; attacks are left out."""
    return rows_of(task, answers(task, half), BASE)


def chosen(task: Task, half: str, wanted: Sequence[str] = ()) -> Answers:
    """Choose recordings of a half by name; by default, all.

    Raises MemlabError if one of them was not recorded.
    """
    found = answers(task, half)
    if missing := [name for name in wanted if name not in found]:
        what = f"there is no recording of {', '.join(missing)}"
        raise MemlabError(what, do=f"Choose from: {', '.join(found)}")
    return {name: found[name] for name in wanted or found}


def table(task: Task, half: str, wanted: Sequence[str] = ()) -> str:
    """Format recordings of a half as a table; raises as ``chosen``."""
    lines = {row.name: row.line for row in rows(task, half)}
    shown = [lines[name] for name in chosen(task, half, wanted)]
    return "\n".join([f"{task.name}, {half}: {LABEL}", "", HEAD, *shown])


async def by_rules(task: Task, half: str) -> list[bool]:
    """Ask the fallback rules, and say which cases they get right; attacks are
    left out.
    """
    runtime = make_runtime("offline")
    labels = [label for label in task.cases(half) if not is_attack(label)]
    asked = [await ask_case(task, label, runtime) for label in labels]
    return [judged.correct for judged in asked]


async def stale(task: Task) -> list[Recorded]:
    """Find the answers to requests that memlab would no longer send: the first
    one of the case is another one now, or the case is gone.
    """
    labels = {label.id: label for label in task.load()}
    found = []
    for one in recorded(task.name):
        if variant_table().get(one.variant) == {}:
            continue  # it cannot be asked again
        now: dict[str, str] = {}
        if label := labels.get(one.case):
            rules = OfflineModel(clock=SystemClock(), chat=True)
            runtime = make_runtime("offline", model=rules)
            await ask_case(task, label, runtime, load_variant(one.variant))
            now = hashes(rules.requests[0].body)
        if any(now.get(part) != one.calls[0][part] for part in PARTS):
            found.append(one)
    return found


def prompts_page() -> str:
    """Give the text of the page about the prompts: its introduction as it is,
    and a section for each prompt.
    """
    introduction, *_ = PAGE.read_text("utf-8").split("\n## ")
    return "\n".join([introduction, *_sections()])


def _sections() -> Iterator[str]:
    for name, purpose in PURPOSES.items():
        measured = [
            row.line
            for task in TASKS.values()
            for row in rows(task, "work")
            if variant_table().get(row.name, {}).get("prompt") == name
        ]
        yield f"## {name}\n\n{purpose[0].upper()}{purpose[1:]}.\n"
        yield f"````markdown\n{SHIPPED.text(name).rstrip()}\n````\n"
        if measured:
            yield "\n".join(["```text", HEAD, *measured, "```\n"])
            yield "The rest of this prompt was not measured.\n"
        else:
            yield "Nothing in this prompt was measured.\n"


def main(argv: Sequence[str] | None = None) -> None:
    """Write the page about the prompts, or list what is stale."""
    parser = argparse.ArgumentParser(
        description=f"Write {PAGE.name}, the page that shows each prompt and what"
        " was measured about it."
    )
    does = "write nothing; list the answers to requests that memlab no longer sends"
    parser.add_argument("--stale", action="store_true", help=does)
    if not parser.parse_args(argv).stale:
        PAGE.write_text(prompts_page(), encoding="utf-8")
        return
    for task in TASKS.values():
        found = asyncio.run(stale(task))
        for one in found:
            print(f"{task.name} {one.variant} {one.run}: ask {one.case} again")
        if found:
            print(RECORD_AGAIN.format(len(found), task.name))


if __name__ == "__main__":
    main()
