"""Tables of what was recorded: memlab's own prompts and their variants, judged
by today's labels.

Every recording is compared with the first recording of memlab's own prompts
(``base``), on the cases that both were asked. The second recording of
``base``, made in other contexts, shows how much answers differ by chance.
Attacks are counted separately, because what is stored after an attack shows
what code stopped, not what a model resists.

Run as ``python -m memlab.bench.replay`` to write ``notebooks/prompts.md``, the
page that shows every prompt and what was measured about it, and with
``--stale`` to list the answers to requests that memlab would no longer send.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from memlab.bench.compare import HEAD, Row
from memlab.bench.recorded import LABEL, PARTS, Recorded, recorded
from memlab.bench.report import Answers, rows_of
from memlab.bench.run import RULES, ask_variant, connect
from memlab.bench.tasks import TASKS, Judged, Task, ask_case, is_attack
from memlab.bench.variants import BASE, load_variant, variant_table
from memlab.errors import MemlabError
from memlab.prompts import PURPOSES, SHIPPED

PAGE = Path(__file__).parents[2] / "notebooks" / "prompts.md"
_INTRODUCTION = f"""# The prompts

This page shows every prompt that memlab sends, in full. `{{{{name}}}}` marks a
place where code inserts something. For some prompts, we tried leaving a
sentence out, or putting a much shorter text in the place of all of it
(*bare*). The table below such a prompt shows the share of cases that were then
correct, with its 95 % interval; the share with memlab's own prompt (*base*);
how many cases flipped each way; and the change in points. p comes from
McNemar's exact test, corrected by Holm's method for all the variants of the
task; a p of 0.05 or more shows nothing. The answers are labelled *{LABEL}*;
[data/recorded](../data/recorded/README.md) says what that means.
"""


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
    """Choose recordings of a half by name; none, or ``base`` alone, means all.

    Raises MemlabError if one of them was not recorded.
    """
    found = answers(task, half)
    missing = [name for name in wanted if name not in found]
    if missing:
        raise MemlabError(
            f"nothing is recorded of {', '.join(missing)}",
            do=f"Choose from: {', '.join(found)}",
        )
    return {name: found[name] for name in wanted or found}


def table(task: Task, half: str, wanted: Sequence[str] = ()) -> str:
    """Format the recordings of a half as a table; raises as ``chosen``."""
    known = {row.name: row.line for row in rows(task, half)}
    names = chosen(task, half, wanted)
    lines = [f"{task.name}, {half}: {LABEL}", "", HEAD]
    return "\n".join([*lines, *map(known.__getitem__, names)])


async def by_rules(task: Task, half: str) -> list[bool]:
    """Ask the fallback rules, and say which cases they get right; attacks are
    left out.
    """
    runtime, _ = connect(RULES)
    labels = [label for label in task.cases(half) if not is_attack(label)]
    asked = [await ask_case(task, label, runtime) for label in labels]
    return [judged.correct for judged in asked]


async def stale(task: Task) -> list[Recorded]:
    """Find the answers to requests that memlab would no longer send: the first
    one of the case is another one now, or the case is gone.
    """
    labels = {label.id: label for label in task.load()}
    runtime, kept = connect(RULES)
    found = []
    for one in recorded(task.name):
        if variant_table().get(one.variant) == {}:
            continue  # it cannot be asked again
        kept.forget()
        if label := labels.get(one.case):
            await ask_variant(task, label, load_variant(one.variant), runtime)
        now = kept.calls[0] if kept.calls else {}
        if any(now.get(part) != one.calls[0][part] for part in PARTS):
            found.append(one)
    return found


def prompts_page() -> str:
    """Give the text of the page about the prompts."""
    return "\n".join([_INTRODUCTION, *_sections()])


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


if __name__ == "__main__":
    PAGE.write_text(prompts_page(), encoding="utf-8")
    for task in TASKS.values() if "--stale" in sys.argv else ():
        for one in asyncio.run(stale(task)):
            print(f"{task.name} {one.variant} {one.run}: ask {one.case} again")
