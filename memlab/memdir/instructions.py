"""The memory section of the system prompt, built once a session so that the cached prefix holds.

It carries no date, since a prompt that changes at midnight is a prompt that is paid for again. Left
out: the variants for a team's memory and for daily logs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from memlab.memdir.index import INDEX
from memlab.memdir.prompt_files import INDEX_BYTES, read_prompt_file
from memlab.memdir.truncate import ShownIndex, truncate_index
from memlab.prompts import load_prompt
from memlab.settings import Settings

EMPTY = "(The index is empty: nothing has been remembered yet.)"


def memory_section(
    directory: Path,
    *,
    show: Callable[[Path], str] = str,
    settings: Settings | None = None,
    index: ShownIndex | None = None,
) -> str:
    """Build the section for a private memory directory: the rules, then the index.

    ``show`` writes a path as the model should see it, such as ``~/…``. The index is read unless it
    is given.
    """
    if index is None:
        index = read_index(directory, settings)
    return load_prompt("memory", directory=show(directory), index=index.prompt.strip() or EMPTY)


def read_index(directory: Path, settings: Settings | None = None) -> ShownIndex:
    """Read the index as a prompt may show it; a missing or unreadable one is empty.

    ``notice`` says so where it was cut by size or left out, because then nobody else does.
    """
    file = read_prompt_file(directory / INDEX, inside=directory, most=INDEX_BYTES)
    return replace(truncate_index(file.text, settings), notice=file.notice)
