"""Where memory is: which project a folder belongs to, which directory holds
its memory, and what the files and folders in that directory are called.

Every component asks ``memory_paths``; nothing else decides. Nothing here
writes, and git is not run: ``.git`` is read, and ``GIT_DIR`` is ignored,
because memory belongs to where the files are. A project at another path begins
without memory. Not known here: what is under a former path (``former``),
whether a path stays inside the memory directory, and how memory is moved.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from os.path import isdir, isfile, lexists, realpath, samefile
from pathlib import Path
from typing import Any

from memlab.errors import MemoryPathError, SettingsError
from memlab.memdir.folder import plain
from memlab.settings import Settings
from memlab.text import clip_bytes, expand_home, tilde

INDEX = "MEMORY.md"
# the journal, the earlier versions and what waits for a review
STORE_FOLDER = ".memlab"
TEAM = "team"  # its memories have an index of their own
INDEXES = (INDEX, f"{TEAM}/{INDEX}")
LOGS = "logs"  # daily logs, which are no memories
# memories about the person, beside the projects, and the folder that their
# names begin with
PERSONAL = "personal"
# what settings files may say about places
PLACE_SETTINGS = ("auto_memory_directory", "separate_worktrees")
SLUG_BYTES = 200  # file systems end a name at 255 bytes
NOT_PLAIN = r'[-+\\:*?"<>|\x00-\x1f\x7f-\x9f\ud800-\udfff]|[. ]$'


@dataclass(frozen=True)
class Project:
    """Whose memory counts: ``root`` owns it, ``top`` is the checkout asked
    about, or the folder if there is no git.
    """

    root: Path
    top: Path


@dataclass(frozen=True)
class Where:
    """What ``~`` means, and which home a slug shows, so that a course home can
    be anywhere.
    """

    home: Path | None = None
    shown_home: str = ""


@dataclass(frozen=True)
class MemoryPaths:
    """A project's directories (transcripts lie in ``project_dir``), and what
    decided on memory.
    """

    project: Project
    project_dir: Path
    memory_dir: Path
    conversations_dir: Path
    decided_by: str


def memory_paths(
    project_root: Path | str,
    *,
    environ: Mapping[str, str] | None = None,
    where: Where = Where(),
) -> MemoryPaths:
    """Resolve a project's directories once; the answer is kept until
    ``forget_paths``.

    First defined wins: ``MEMLAB_MEMORY_DIR``; ``auto_memory_directory`` in the
    project's settings under the base, then in ``<base>/settings.json``;
    ``<base>/projects/<slug>/memory``. The base is ``MEMLAB_HOME`` or
    ``~/.memlab``. No file of the checkout is asked: a repository could point
    writes at ``~/.ssh``. ``"separate_worktrees": true`` gives each worktree
    a memory of its own; it is read from the settings of the repository's
    project under the base, then from ``<base>/settings.json``.

    Raises MemoryPathError for a directory that may not serve, SettingsError
    for broken settings.
    """
    variables = os.environ if environ is None else environ
    base = variables.get("MEMLAB_HOME", "~/.memlab")
    override = variables.get("MEMLAB_MEMORY_DIR")
    where = Where(where.home or Path.home(), where.shown_home)
    return _resolve(os.path.abspath(project_root), where, base, override)


def forget_paths() -> None:
    """Forget every answer, so that settings files and ``.git`` are read again."""
    _resolve.cache_clear()


def notes_file(project_dir: Path, session: str) -> Path:
    """Return the file with the notes of a session, beside the memory
    directory: in it, a file of this name would be taken for an index.
    """
    return project_dir / "session-memory" / session / "memory.md"


def index_of(name: str) -> str:
    """Give the index that has the pointer of a memory, from its path below the
    memory directory: that of the team for what is in ``team/``.

    An index belongs to itself. The pointers in an index are paths from its own
    folder on.
    """
    return f"{TEAM}/{INDEX}" if name.startswith(f"{TEAM}/") else INDEX


def personal_folder(base: Path) -> Path:
    """Give the directory of the memories about the person, which hold in every
    project; a link in its place is followed here, and nowhere else.
    """
    folder = base / PERSONAL
    return folder.resolve() if folder.is_symlink() else folder


def find_project(start: Path | str, *, ceiling: Path | None = None) -> Project:
    """Walk up from ``start``, not above ``ceiling``, to the first checkout.

    A worktree belongs to its main checkout, or to its bare repository; a
    submodule is its own project.
    """
    here = Path(realpath(start))
    for top in (here, *here.parents):
        if lexists(top / ".git"):
            root = top  # also if it does not hold true
            with suppress(OSError, ValueError):
                _, common = git_folders(top)
                root = common.parent if common.name == ".git" else common
            return Project(root, top)
        if top == ceiling:
            break
    return Project(here, here)


def git_folders(top: Path) -> tuple[Path, Path]:
    """Return the git directory of a checkout, and the one that all worktrees
    of its repository share.

    A ``.git`` file is believed only if the repository names this worktree too.
    Raises ValueError or OSError if it does not, or if the git data is
    elsewhere.
    """
    own = top / ".git"
    if isdir(own):
        return own, own
    own = _pointer(own, b"gitdir: ")
    there = _pointer(own / "gitdir").parent
    if own.parent.name != "worktrees" or not samefile(there, top):
        raise ValueError(f"{own} is for {there}, not for {top}")
    return own, own.parent.parent


def slug_of(path: Path | str) -> str:
    """Turn an absolute path into one file name that is its own.

    Claude Code turns each ``/`` into ``-``, which gives ``/a-b/c`` and
    ``/a/b-c`` one name. A path without hyphens keeps that name. A hyphen, a
    character that some system forbids in names, or over 200 bytes add ``+``
    and 12 digits of a hash: an uglier name, but nobody else's memory.
    """
    text = str(path)
    if re.match(r"[A-Za-z]:[\\/]|\\\\", text):
        text = text.replace("\\", "/").replace(":", "/", 1)
    slug = re.sub(NOT_PLAIN, "-", text).replace("/", "-")
    if not re.search(NOT_PLAIN, text) and len(slug.encode()) <= SLUG_BYTES:
        return slug
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{clip_bytes(slug, SLUG_BYTES - 13)}+{digest[:12]}"


def read_settings(file: Path) -> dict[str, Any]:
    """Read a settings file, which need not be there; raises SettingsError for
    one that is broken.
    """
    try:
        with open(file, encoding="utf-8-sig", opener=plain) as text:
            # what is no JSON object is a TypeError
            return {**json.load(text, object_pairs_hook=_unique)}
    except FileNotFoundError:
        return {}
    except (OSError, RecursionError, TypeError, ValueError) as error:
        raise SettingsError(
            str(error), where=file, do="Correct it or remove it"
        ) from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"{twice[0]!r:.40} appears twice")
    return dict(pairs)


@lru_cache(maxsize=256)
def _resolve(
    start: str, where: Where, base: str, override: str | None
) -> MemoryPaths:
    home = where.home or Path.home()
    real_home = Path(realpath(home))
    project = find_project(start, ceiling=real_home)
    base_dir = _usable(base, "MEMLAB_HOME", home, real_home)

    def folder_of(root: Path) -> Path:
        shown = str(root)
        if where.shown_home and root.is_relative_to(real_home):
            shown = where.shown_home + tilde(root, real_home)[1:]
        return base_dir / "projects" / slug_of(shown)

    top, folder = project.top, folder_of(project.root)
    if _setting("separate_worktrees", False, top, folder, base_dir)[0] is True:
        folder = folder_of(top)
    text, source = override, "MEMLAB_MEMORY_DIR"
    if text is None:
        key, default = "auto_memory_directory", str(folder / "memory")
        text, source = _setting(key, default, top, folder, base_dir)
    memory = _usable(str(text), source, home, real_home, project.root, top)
    return MemoryPaths(
        project, folder, memory, base_dir / "conversations", source
    )


def _usable(text: str, source: str, home: Path, *held: Path) -> Path:
    """Expand ``~``, and refuse what no memory may be: forks may write anywhere
    in it.
    """
    path = Path(expand_home(text, home))
    real = path if "\0" in text else Path(realpath(path))
    is_long = len(text) >= Settings.override_min_characters
    is_full = path.is_absolute() and ".." not in path.parts
    holds = any(
        one.is_relative_to(place) for one in held for place in (path, real)
    )
    if (
        holds
        or not is_long
        or not is_full
        or "\0" in text
        or path == path.parent
    ):
        what = (
            f"{text!r} is no absolute path, or holds your home or the project"
        )
        raise MemoryPathError(
            what, where=source, do="Name another, or remove it"
        )
    return path


def _setting(
    key: str, default: Any, top: Path, *folders: Path
) -> tuple[Any, str]:
    """Read a setting from the first folder that has it, with the line it
    stands on. What a checkout has is not asked.
    """
    for folder in folders:
        file = folder / "settings.json"
        values = read_settings(file)
        is_theirs = file.resolve().is_relative_to(top) and lexists(
            top / ".git"
        )
        if key in values and not is_theirs:
            text = file.read_text("utf-8-sig")
            line = text[: text.find(f'"{key}"')].count("\n") + 1
            return values[key], f"{file}:{line}"
    return default, "default"


def _pointer(file: Path, prefix: bytes = b"") -> Path:
    found = isfile(file) and re.fullmatch(
        prefix + rb"(.+?)\s*", file.read_bytes()
    )
    if not found:
        raise ValueError(f"{file} does not lead to git data")
    return Path(realpath(file.parent / os.fsdecode(found[1])))
