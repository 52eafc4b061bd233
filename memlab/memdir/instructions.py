"""What the system prompt says of memory: the rules, and the index.

A repository can put anything in the place of CLAUDE.md or of the index: a link
to a key, a pipe that never ends, fifty megabytes. So these files are read only
if they are plain files inside their directory, and only up to a limit. The
words are in ``memlab.prompts``, and when to say them is the harness's to know.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from memlab.memdir.daily_log import LOG_PATTERN
from memlab.memdir.folder import Folder
from memlab.memdir.index import cut, memlab_caps, named
from memlab.memdir.places import INDEX
from memlab.prompts import SHIPPED, Prompts
from memlab.prompts.blocks import block
from memlab.settings import Settings

CLAUDE_MD_BYTES = 64_000
INDEX_BYTES = 1_000_000


class PromptFile(NamedTuple):
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
    folder, real = Folder(inside), Path(os.path.realpath(path))
    try:
        name = real.relative_to(folder.real).as_posix()
        data = folder.read(name, most + 1).data
        if data is None and path.is_symlink():
            raise OSError("a link to nothing")
    except (OSError, ValueError):
        why = f"{real} cannot be read, or it is no plain file in {inside}"
        return PromptFile("", f"{path.name} was left out: {why}")
    data, notice = data or b"", ""
    if len(data) > most:
        data = data[: data.rfind(b"\n", 0, most) + 1 or most]
        notice = f"Only the first {most:,} bytes of {path.name} are read"
    return PromptFile(data.decode("utf-8-sig", "replace"), notice)


class ShownIndex(NamedTuple):
    """An index as a prompt shows it, which limit has ``fired`` ("" if none),
    the files whose lines have fallen, a warning for the model about these, and
    a notice for the person about the file.
    """

    text: str
    fired: str
    fallen: tuple[str, ...]
    warning: str
    notice: str = ""

    @property
    def prompt(self) -> str:
        """The text with the warning, which does not count towards the caps."""
        return f"{self.text.rstrip()}\n\n{self.warning}".strip()


def index_for_prompt(
    text: str, settings: Settings | None = None, prompts: Prompts = SHIPPED
) -> ShownIndex:
    """Cut an index to memlab's caps, and say what is missing."""
    caps = memlab_caps(settings)
    shown = cut(text, caps)
    missing = warning = ""
    if shown.fallen:
        files = named(shown.fallen)
        missing = prompts.section(
            "reminders", "index_cut_missing", files=files
        )
    if shown.fired:
        warning = prompts.section(
            "reminders",
            "index_cut",
            limit=caps.named(shown.fired),
            lines=f"{shown.lines:,}",
            bytes=f"{shown.size:,}",
            missing=missing and f" {missing}",
        )
    return ShownIndex(shown.text, shown.fired, shown.fallen, warning)


def index_file(directory: Path) -> PromptFile:
    """Read the whole index of a directory, if it may be read."""
    path = directory / INDEX
    return read_prompt_file(path, inside=directory, most=INDEX_BYTES)


def read_index(
    directory: Path,
    settings: Settings | None = None,
    prompts: Prompts = SHIPPED,
) -> ShownIndex:
    """Read the index as a prompt may show it; a missing or unreadable one is
    empty.
    """
    file = index_file(directory)
    shown = index_for_prompt(file.text, settings, prompts)
    return shown._replace(notice=file.notice)


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
    """Build the section of the system prompt about memory.

    There are three variants: for a private memory, for one with the shared
    directory ``team``, and for a daily log, beside which ``team`` is only
    read. ``show`` writes a path as the model should see it, such as ``~/…``.
    The private index is read unless it is given; ``team_index`` has to be,
    because not all that is in the team's file may be shown. With ``index_elsewhere`` the section
    only says where the index is: in a reminder before the first message.
    """
    index = index or read_index(directory, settings, prompts)
    values = {
        "memory_directory": block("memory_directory", show(directory)),
        "index": index_block("index", index, prompts),
    }
    if index_elsewhere:
        values["index"] = prompts.section("reminders", "index_elsewhere")
    shared: dict[str, str] = {}
    if team and team_index:
        shared["team_directory"] = block("team_directory", show(team))
        shared["team_index"] = index_block("team_index", team_index, prompts)
    if daily_log:
        values["log_path"] = block("log_path", show(directory / LOG_PATTERN))
        section = prompts.load("memory_daily_log", **values)
        if not team:
            return section
        read_only = prompts.section(
            "reminders", "team_index_read_only", **shared
        )
        return f"{section}\n\n{read_only}"
    return prompts.load(
        "memory_team" if team else "memory", **values, **shared
    )


def index_block(tag: str, index: ShownIndex, prompts: Prompts) -> str:
    """Render an index; an empty one says so."""
    empty = prompts.section("reminders", "empty_index")
    return block(tag, index.prompt or empty)
