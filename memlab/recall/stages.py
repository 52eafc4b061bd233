"""Which first stage a session uses, as the setting ``first_stage`` says."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

from memlab.recall.first_stage import FirstStage
from memlab.recall.sqlite_stage import SqliteIndex
from memlab.settings import Settings


def open_first_stage(
    directory: Path, settings: Settings, notice: Callable[[str], object]
) -> FirstStage | None:
    """Give the first stage of a memory directory, None where it is off.

    ``notice`` gets a sentence for the person where the index was built again
    or cannot be used.
    """
    if settings.first_stage == "off":
        return None
    return FirstStage(directory, SqliteIndex(directory), settings, notice)


def erase_from_index(
    directory: Path,
    files: Collection[str],
    settings: Settings,
    stage: FirstStage | None,
) -> str:
    """Remove files from the index of a directory, also from one that is not in
    use, so that none of their bytes are left. Say what a person has to do
    where that failed, else "".
    """
    if stage is None:
        index = SqliteIndex(directory)
        if not index.path.exists():
            return ""
        stage = FirstStage(directory, index, settings)
    return stage.erase(files)
