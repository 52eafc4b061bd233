"""What the system prompt says of memory: the rules, and the index.

A repository can put anything in the place of CLAUDE.md or of the index: a link
to a key, a pipe that never ends, fifty megabytes. So these files are read only
if they are plain files inside their directory, and only up to a limit. The
words are in ``memlab.prompts``, and when to say them is the harness's to know.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from memlab.memdir.daily_log import LOG_PATTERN
from memlab.memdir.folder import SWAPPED, Folder
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
    left_out = f"{path.name} was left out:"
    if not real.is_relative_to(folder.real):
        why = f"it leads to {real}, outside {inside}"
        return PromptFile("", f"{left_out} {why}")
    try:
        name = real.relative_to(folder.real).as_posix()
        with open(folder.open(name), "rb") as source:
            data = source.read(most + 1)
            size = os.fstat(source.fileno()).st_size
    except FileNotFoundError:
        if not path.is_symlink():
            return PromptFile()
        return PromptFile("", f"{left_out} it is a link to {real}, not a file")
    except OSError as error:
        why = error.strerror or str(error)
        if error.errno in (*SWAPPED, errno.EISDIR):
            why = "it is not a plain file"
        return PromptFile("", f"{left_out} {why}")
    if len(data) <= most:
        return PromptFile(data.decode("utf-8-sig", "replace"))
    end = data.rfind(b"\n", 0, most) + 1
    return PromptFile(
        data[: end or most].decode("utf-8-sig", "ignore"),
        f"Only the first {_size(most)} of {path.name} are read, of {_size(size)}",
    )


def _size(size: int) -> str:
    if size >= 1_000_000:
        return f"{size / 1_000_000:.3g} MB"
    return f"{size / 1_000:.3g} kB"


class ShownIndex(NamedTuple):
    """An index as a prompt shows it: a ``Cut``, a warning for the model about
    what is missing, and a notice for the person about the file.
    """

    text: str
    lines: int
    size: int
    fired: str
    fallen: tuple[str, ...]
    warning: str = ""
    notice: str = ""

    @property
    def prompt(self) -> str:
        """The text with the warning, which does not count towards the caps."""
        if not self.warning:
            return self.text
        return f"{self.text.rstrip()}\n\n{self.warning}"


def index_for_prompt(
    text: str, settings: Settings | None = None, prompts: Prompts = SHIPPED
) -> ShownIndex:
    """Cut an index to memlab's caps, and say what is missing."""
    caps = memlab_caps(settings)
    shown = ShownIndex(*cut(text, caps))
    if not shown.fired:
        return shown
    missing = ""
    if shown.fallen:
        files = named(shown.fallen)
        missing = prompts.section(
            "reminders", "index_cut_missing", files=files
        )
    warning = prompts.section(
        "reminders",
        "index_cut",
        limit=caps.named(shown.fired),
        lines=f"{shown.lines:,}",
        bytes=f"{shown.size:,}",
        missing=missing and f" {missing}",
    )
    return shown._replace(warning=warning)


def read_index(
    directory: Path,
    settings: Settings | None = None,
    prompts: Prompts = SHIPPED,
    shown_as: Callable[[str], str] = str,
) -> ShownIndex:
    """Read the index as a prompt may show it; a missing or unreadable one is
    empty. ``shown_as`` changes its text before it is cut.
    """
    file = read_prompt_file(
        directory / INDEX, inside=directory, most=INDEX_BYTES
    )
    shown = index_for_prompt(shown_as(file.text), settings, prompts)
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
    directory ``team``, and for a daily log. ``show`` writes a path as the model
    should see it, such as ``~/…``. An index is read unless it is given. With
    ``index_elsewhere`` the section only says where the index is: in
    ``index_reminder``.
    """
    index = index or read_index(directory, settings, prompts)
    values = {
        "memory_directory": block("memory_directory", show(directory)),
        "index": index_block("index", index, prompts),
    }
    if index_elsewhere:
        values["index"] = prompts.section("reminders", "index_elsewhere")
    if daily_log:
        values["log_path"] = block("log_path", show(directory / LOG_PATTERN))
        return prompts.load("memory_daily_log", **values)
    if not team:
        return prompts.load("memory", **values)
    team_index = team_index or read_index(team, settings, prompts)
    values["team_directory"] = block("team_directory", show(team))
    values["team_index"] = index_block("team_index", team_index, prompts)
    return prompts.load("memory_team", **values)


def index_reminder(index: ShownIndex, prompts: Prompts = SHIPPED) -> str:
    """Render the index as a reminder, to be sent before the first message."""
    shown = index_block("index", index, prompts)
    return prompts.reminder("index", index=shown)


def index_block(tag: str, index: ShownIndex, prompts: Prompts) -> str:
    """Render an index; an empty one says so."""
    empty = prompts.section("reminders", "empty_index")
    return block(tag, index.prompt.strip() or empty)
