"""What the system prompt says of memory: the rules and the index, read safely
from files.

A repository can put anything in the place of CLAUDE.md or of the index: a link
to a key, a pipe that never ends, fifty megabytes. So these files are read
under the rule that holds for every path, only if they are plain files, and
only up to a limit.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypedDict

from memlab.bridge import open_real
from memlab.memdir.daily_log import LOG_PATTERN
from memlab.memdir.folder import SWAPPED
from memlab.memdir.index import INDEX, ShownIndex, index_for_prompt
from memlab.prompts import SHIPPED, Prompts
from memlab.prompts.blocks import block
from memlab.settings import Settings

CLAUDE_MD_BYTES = 64_000
INDEX_BYTES = 1_000_000


@dataclass(frozen=True)
class PromptFile:
    """The text of a file, and a notice for the person if it was cut or left
    out.
    """

    text: str = ""
    notice: str = ""


def read_prompt_file(path: Path, *, inside: Path, most: int) -> PromptFile:
    """Read at most ``most`` bytes of a plain file whose real path is below
    ``inside``.

    A missing file is empty. Anything else that cannot be read is empty and has
    a notice. A text that is too long is cut at the last line end before the
    limit.
    """
    real = Path(os.path.realpath(path))
    if not real.is_relative_to(os.path.realpath(inside)):
        return PromptFile(
            "",
            f"{path.name} was left out: it leads to {real}, outside {inside}",
        )
    try:
        with open(open_real(real, os.O_RDONLY), "rb") as source:
            data = source.read(most + 1)
            size = os.fstat(source.fileno()).st_size
    except FileNotFoundError:
        if path.is_symlink():
            return PromptFile(
                "",
                f"{path.name} was left out: it is a link to {real}, not a"
                " file",
            )
        return PromptFile()
    except OSError as error:
        why = error.strerror or str(error)
        if error.errno in (*SWAPPED, errno.EISDIR):
            why = "it is not a plain file"
        return PromptFile("", f"{path.name} was left out: {why}")
    if len(data) <= most:
        return PromptFile(data.decode("utf-8-sig", "replace"))
    kept = data[:most]
    end = kept.rfind(b"\n") + 1
    text = kept[: end or most].decode("utf-8-sig", "ignore")
    return PromptFile(
        text,
        f"Only the first {_size(most)} of {path.name} are read, of"
        f" {_size(size)}",
    )


def _size(size: int) -> str:
    if size >= 1_000_000:
        return f"{size / 1_000_000:.3g} MB"
    return f"{size / 1_000:.3g} kB"


def memory_section(
    directory: Path,
    *,
    show: Callable[[Path], str] = str,
    settings: Settings | None = None,
    index: ShownIndex | None = None,
    prompts: Prompts = SHIPPED,
    team: Path | None = None,
    team_index: ShownIndex | None = None,
    daily_log: bool = False,
    index_elsewhere: bool = False,
) -> str:
    """Build the section of the system prompt about memory: the rules, then the
    index.

    There are three variants: for a private memory, for one that is partly
    shared (``team`` is the shared directory, and ``team_index`` what is shown
    of its index), and for a daily log. ``show``
    writes a path as the model should see it, such as ``~/…``. The index is
    read unless it is given. With ``index_elsewhere`` the section only says
    where the index is: in the reminder that ``index_reminder`` makes.
    """
    if index is None:
        index = read_index(directory, settings, prompts)
    values: dict[str, str] = {
        "memory_directory": block("memory_directory", show(directory)),
        "index": index_block("index", index, prompts),
    }
    if index_elsewhere:
        values["index"] = prompts.section("reminders", "index_elsewhere")
    if daily_log:
        pattern = show(directory / LOG_PATTERN)
        return prompts.load(
            "memory_daily_log",
            **values,
            log_path=block("log_path", pattern),
        )
    if team is None:
        return prompts.load("memory", **values)
    return prompts.load(
        "memory_team",
        **values,
        team_directory=block("team_directory", show(team)),
        team_index=index_block(
            "team_index",
            team_index or read_index(team, settings, prompts),
            prompts,
        ),
    )


class SectionValues(TypedDict, total=False):
    """What decides on the variant of the memory section, as arguments of
    ``memory_section``.
    """

    team: Path
    team_index: ShownIndex
    daily_log: bool


def index_reminder(index: ShownIndex, prompts: Prompts = SHIPPED) -> str:
    """Render the index as a reminder, to be sent before the first message."""
    shown = index_block("index", index, prompts)
    return prompts.reminder("index", index=shown)


def index_block(tag: str, index: ShownIndex, prompts: Prompts) -> str:
    """Render an index; an empty one says so."""
    empty = prompts.section("reminders", "empty_index")
    return block(tag, index.prompt.strip() or empty)


def read_index(
    directory: Path,
    settings: Settings | None = None,
    prompts: Prompts = SHIPPED,
) -> ShownIndex:
    """Read the index as a prompt may show it; a missing or unreadable one is
    empty.

    ``notice`` says so where it was cut by size or left out, because then
    nobody else does.
    """
    file = read_prompt_file(
        directory / INDEX, inside=directory, most=INDEX_BYTES
    )
    shown = index_for_prompt(file.text, settings, prompts)
    return replace(shown, notice=file.notice)
