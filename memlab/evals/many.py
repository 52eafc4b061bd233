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
from typing import NamedTuple

import yaml

from memlab.clock import STORY_START, to_nanoseconds

TEMPLATES = Path(__file__).parents[2] / "data" / "landscape" / "many.yaml"
SEED = 25


class MadeMemory(NamedTuple):
    """A memory file, with its time in nanoseconds, and questions about it."""

    file: str
    text: str
    mtime: int
    questions: Sequence[str]


class MadeQuestion(NamedTuple):
    """A question, and the file of the one memory that answers it."""

    text: str
    file: str


def make_memories(count: int, seed: int = SEED) -> list[MadeMemory]:
    """Make so many memories, newest first and an hour apart; the same ones for
    the same seed.
    """
    raw = yaml.safe_load(TEMPLATES.read_text("utf-8"))
    slots = raw["slots"]
    for slot, (least, most) in raw["numbers"].items():
        slots[slot] = range(least, most + 1)
    chance = Random(f"{seed} {count}")
    made: dict[tuple[str, ...], MadeMemory] = {}
    files: set[str] = set()
    while len(made) < count:
        template = chance.choice(raw["templates"])
        values = {slot: str(chance.choice(slots[slot])) for slot in slots}
        identity = [values[slot] for slot in template["identified_by"]]
        key = (template["id"], *identity)
        if key in made or values["person"] == values["other"]:
            continue
        name, description, body = (
            template[part].format_map(values)
            for part in ("name", "description", "body")
        )
        text = (
            f"---\nname: {name}\ndescription: {description}\n"
            f"type: {template['type']}\n---\n\n{body}\n"
        )
        slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
        file = f"{slug}.md" if slug not in files else f"{slug}-{len(made)}.md"
        files.add(slug)
        time = to_nanoseconds(STORY_START - timedelta(hours=len(made)))
        asked = [*template["questions"], template["slots_only"]]
        questions = [question.format_map(values) for question in asked]
        made[key] = MadeMemory(file, text, time, questions)
    return list(made.values())


def make_questions(
    memories: Sequence[MadeMemory], count: int = 200, seed: int = SEED
) -> list[MadeQuestion]:
    """Ask for some of the memories, each in one of its ways."""
    chance = Random(f"{seed} questions")
    asked = chance.sample(memories, min(count, len(memories)))
    return [
        MadeQuestion(chance.choice(one.questions), one.file) for one in asked
    ]


def write_memories(memories: Iterable[MadeMemory], folder: Path) -> None:
    """Write the memories as files, with their times."""
    folder.mkdir(parents=True, exist_ok=True)
    for made in memories:
        path = folder / made.file
        path.write_text(made.text, "utf-8")
        os.utime(path, ns=(made.mtime, made.mtime))
