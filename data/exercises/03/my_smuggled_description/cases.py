from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from random import Random

from memlab.course import Case
from memlab.memdir import MemoryHeader, format_manifest

_NAMES = [
    "tabs",
    "ferry",
    "season",
    "board",
    "radio",
    "prices",
    "tides",
    "view",
]


def naive_line(file: str, description: str) -> str:
    """Write a line of a manifest without looking at what the description holds."""
    return f"- {file} (2026-03-30): {description}"


def cases(random: Random) -> list[Case]:
    return [
        Case(
            (file,),
            f"a description that makes a naive manifest list {file} on a line of its own",
            partial(_smuggled, file),
            "the line has to begin with '- ' and the file's name, after a line end",
        )
        for file in (
            "ssh-keys.md",
            *(f"{name}.md" for name in random.sample(_NAMES, 3)),
        )
    ]


def _smuggled(file: str, description: str) -> bool:
    def listed(manifest: str) -> bool:
        return any(
            line.startswith(f"- {file}") for line in manifest.splitlines()
        )

    moment = datetime(2026, 3, 30, tzinfo=UTC)
    header = MemoryHeader(Path("a.md"), "a.md", moment, "A", description, None)
    return listed(naive_line("a.md", description)) and not listed(
        format_manifest([header])
    )
