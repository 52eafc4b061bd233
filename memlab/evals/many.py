"""Thousands of memories made from a seed, each with questions that only it
answers.

The templates, the values of their slots and the questions, which are in other
words than the memory, are written by hand (``data/landscape/many.yaml``).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from datetime import timedelta
from pathlib import Path
from random import Random

from memlab.clock import STORY_START, to_nanoseconds
from memlab.evals.labelled import Label, read_yaml

TEMPLATES = Path(__file__).parents[2] / "data" / "landscape" / "many.yaml"


def make_memories(count: int) -> list[Label]:
    """Make so many memories, newest first and an hour apart, always the same
    ones: ``file`` and ``text``, ``mtime`` in nanoseconds, and ``questions``.
    """
    raw = read_yaml(TEMPLATES)
    slots = raw.slots
    for slot, (least, most) in raw.numbers.items():
        slots[slot] = range(least, most + 1)
    chance = Random(f"25 {count}")
    made: dict[tuple[str, ...], Label] = {}
    slugs: set[str] = set()
    while len(made) < count:
        template = chance.choice(raw.templates)
        values = {slot: str(chance.choice(slots[slot])) for slot in slots}
        identity = [values[slot] for slot in template.identified_by]
        key = (template.id, *identity)
        if key in made or values["person"] == values["other"]:
            continue
        text = (
            f"---\nname: {template.name}\n"
            f"description: {template.description}\n"
            f"type: {template.type}\n---\n\n{template.body}\n"
        )
        name = template.name.format_map(values)
        slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
        file = f"{slug}-{len(made)}.md" if slug in slugs else f"{slug}.md"
        slugs.add(slug)
        asked = [*template.questions, template.slots_only]
        made[key] = Label(
            file=file,
            text=text.format_map(values),
            mtime=to_nanoseconds(STORY_START - timedelta(hours=len(made))),
            questions=[question.format_map(values) for question in asked],
        )
    return list(made.values())


def make_questions(memories: Sequence[Label], count: int = 200) -> list[Label]:
    """Ask for some of the memories, each in one of its ways: the ``text`` of
    the question, and the ``file`` that answers it.
    """
    chance = Random("25 questions")
    asked = chance.sample(memories, min(count, len(memories)))
    return [
        Label(text=chance.choice(one.questions), file=one.file)
        for one in asked
    ]


def write_memories(memories: Iterable[Label], folder: Path) -> None:
    """Write the memories as files, with their times."""
    folder.mkdir(parents=True, exist_ok=True)
    for made in memories:
        path = folder / made.file
        path.write_text(made.text, "utf-8")
        os.utime(path, ns=(made.mtime, made.mtime))
