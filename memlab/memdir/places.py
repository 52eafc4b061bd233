"""Where memory is: which project a folder belongs to, which directory holds
its memory, and what the files and folders in that directory are called.

Every component asks ``memory_dir``; nothing else decides. Nothing here writes,
and git is not run: ``.git`` is read, and ``GIT_DIR`` is ignored, because
memory belongs to where the files are. A project at another path begins without
memory; ``left_behind`` finds what its folder had under a former path. Not
known here: whether a path stays inside the memory directory, and how memory is
moved.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from os.path import getsize, isdir, isfile, islink, lexists, realpath, samefile
from pathlib import Path
from shlex import quote
from typing import Any

from memlab.errors import MemlabError, MemoryPathError, SettingsError
from memlab.settings import Settings
from memlab.text import clip_bytes, expand_home, tilde

INDEX = "MEMORY.md"
# the journal, the earlier versions and what waits for a review
STORE_FOLDER = ".memlab"
TEAM = "team"  # its memories have an index of their own
INDEXES = (INDEX, f"{TEAM}/{INDEX}")
LOGS = "logs"  # daily logs, which are no memories
# the notes of each session, beside the memory directory: in it, a file of this
# name would be taken for an index
SESSION_MEMORY = "session-memory"
NOTES = "memory.md"
# memories about the person, beside the projects, and the folder that their
# names begin with
PERSONAL = "personal"
# what settings files may say about places
PLACE_SETTINGS = ("auto_memory_directory", "separate_worktrees")
SLUG_BYTES = 200  # file systems end a name at 255 bytes
SESSIONS_READ = 5
SESSION_BYTES = 16_384
NOT_PLAIN = re.compile(r'[-+\\:*?"<>|\x00-\x1f\x7f-\x9f\ud800-\udfff]|[. ]$')
_ROOT = re.compile(
    rb'"(?:root|cwd)":\s*("(?:[^"\\]|\\.)*")(?:,\s*"inode":\s*(\d+))?'
)


@dataclass(frozen=True)
class Project:
    """Whose memory counts: ``root`` owns it, ``top`` is the checkout asked
    about.

    ``kind``: repository, worktree, linked (a submodule, or git data kept
    elsewhere), bare, folder (no git) or mistrusted (``.git`` does not hold
    true; ``reason`` says in what).
    """

    root: Path
    top: Path
    kind: str
    reason: str = ""


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


@dataclass(frozen=True)
class LeftBehind:
    """A memory that no project asks for any more: the path that the project
    had, its folder under the base, and how many memories there are.
    """

    root: Path
    folder: Path
    memories: int
    inode: int = 0


def memory_dir(
    project_root: Path | str,
    *,
    environ: Mapping[str, str] | None = None,
    where: Where = Where(),
) -> Path:
    """Give the memory directory of a project; raises as ``memory_paths`` does."""
    return memory_paths(project_root, environ=environ, where=where).memory_dir


def memory_paths(
    project_root: Path | str,
    *,
    environ: Mapping[str, str] | None = None,
    where: Where = Where(),
    is_gone: bool = False,
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

    With ``is_gone``, the directories that the folder had as a project of its
    own. Raises MemoryPathError for a directory that may not serve,
    SettingsError for broken settings.
    """
    variables = os.environ if environ is None else environ
    start = (
        realpath(project_root) if is_gone else os.path.abspath(project_root)
    )
    return _resolve(
        start,
        is_gone,
        where.home or Path(os.path.expanduser("~")),
        where.shown_home,
        variables.get("MEMLAB_HOME", "~/.memlab"),
        variables.get("MEMLAB_MEMORY_DIR"),
    )


def left_behind(base: Path) -> Iterator[LeftBehind]:
    """Find the memories of projects whose folder does not exist any more, or
    belongs to another project by now.

    A project is passed over if nothing says which path it had.
    """
    for folder in sorted((base / "projects").glob("*")):
        found = gone_project(folder / "memory", base)
        if found is not None:
            yield found


def memory_of(paths: MemoryPaths) -> LeftBehind | None:
    """Find the memory that a project had under its former path.

    The folder is known again by its inode, which a renaming keeps, by its
    name, which a move keeps, or because it is a part of the project now.
    """
    root = paths.project.root
    for found in left_behind(paths.conversations_dir.parent):
        is_part = lexists(found.root) and found.root.is_relative_to(root)
        is_renamed = lexists(root) and found.inode == os.stat(root).st_ino
        if is_renamed or is_part or found.root.name == root.name:
            return found
    return None


def gone_project(memory: Path, base: Path) -> LeftBehind | None:
    """Say to which project that is gone a memory directory under the base
    belongs; None if the project is there or not known.
    """
    folder = Path(os.path.abspath(memory)).parent
    if folder.parent != base / "projects" or memory.name != "memory":
        return None
    memories = _memories_in(memory)
    root, inode = _root_of(folder) if memories else ("", 0)
    if not root:
        return None
    project = find_project(root)
    if lexists(root) and Path(realpath(root)) in (project.root, project.top):
        return None
    return LeftBehind(Path(root), folder, memories, inode)


def moved_notice(paths: MemoryPaths) -> str:
    """Say that a project without memories has some under a former path, and
    how they are moved; "" if it has not.
    """
    left = None
    # what is wrong with another project's folder is not this session's matter
    with suppress(OSError, ValueError, MemlabError):
        if not _memories_in(paths.memory_dir):
            left = memory_of(paths)
    if left is None:
        return ""
    old, new = quote(str(left.root)), quote(str(paths.project.root))
    return (
        f"Memory of {left.root} is left (memories: {left.memories:,}). If this"
        f" project was there before, type: python3 -m memlab move {old} {new}"
    )


def _memories_in(memory: Path) -> int:
    # the scan needs this module
    from memlab.memdir.scan import find_memory_files

    found, _ = find_memory_files(str(memory))
    return len(found)


def _root_of(folder: Path) -> tuple[str, int]:
    """Find the path from which a folder's name was made, and its inode, in the
    newest sessions; "" if none names it.

    A name without ``+`` can be turned back into the path.
    """
    named: dict[str, int] = {}
    sessions = sorted(folder.glob("*.jsonl"), key=os.path.getmtime)
    for session in sessions[-SESSIONS_READ:]:
        with suppress(OSError, ValueError), session.open("rb") as file:
            for found in _ROOT.finditer(file.read(SESSION_BYTES)):
                root = json.loads(found[1])
                named[root] = int(found[2] or 0) or named.get(root, 0)
    for root, inode in named.items():
        if slug_of(root) == folder.name:
            return root, inode
    is_plain = "+" not in folder.name and folder.name.startswith("-")
    return folder.name.replace("-", "/") if is_plain else "", 0


def notes_file(project_dir: Path, session: str) -> Path:
    """Return the file with the notes of a session, in the folder of a
    project's transcripts.
    """
    return project_dir / SESSION_MEMORY / session / NOTES


def index_of(name: str) -> str:
    """Give the index that has the pointer of a memory, from its path below the
    memory directory: that of the team for what is in ``team/``.

    An index belongs to itself. The pointers in an index are paths from its own
    folder on.
    """
    private, shared = INDEXES
    return shared if name.startswith(f"{TEAM}/") else private


def personal_folder(base: Path) -> Path:
    """Give the directory of the memories about the person, which hold in every
    project; a link in its place is followed here, and nowhere else.
    """
    folder = base / PERSONAL
    return folder.resolve() if folder.is_symlink() else folder


def forget_paths() -> None:
    """Forget every answer, so that settings files and ``.git`` are read again."""
    _resolve.cache_clear()


def find_project(start: Path | str, *, ceiling: Path | None = None) -> Project:
    """Walk up from ``start``, not above ``ceiling``, to the first checkout or
    bare repository.

    A worktree belongs to its main checkout or bare repository; a submodule is
    its own project.
    """
    here = Path(realpath(start))
    for top in (here, *here.parents):
        if isdir(top / ".git"):
            return Project(top, top, "repository")
        if lexists(top / ".git"):
            try:
                return _linked(top)
            except (OSError, ValueError) as error:
                return Project(top, top, "mistrusted", str(error))
        if top.name != ".git" and _holds_git(top):
            return Project(top, top, "bare")
        if top == ceiling:
            break
    return Project(here, here, "folder")


def git_folders(project: Project) -> tuple[Path, Path]:
    """Return the git directory of a checkout, and the one that all worktrees
    of its repository share; raises ValueError or OSError for a broken one.
    """
    if project.kind != "worktree":
        own = project.top / ".git"
        return own, own
    own = _pointer(project.top / ".git", b"gitdir: ")
    return own, _pointer(own / "commondir")


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
    slug = NOT_PLAIN.sub("-", text).replace("/", "-")
    if not NOT_PLAIN.search(text) and len(slug.encode()) <= SLUG_BYTES:
        return slug
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[
        :12
    ]
    return f"{clip_bytes(slug, SLUG_BYTES - 13)}+{digest}"


def _linked(top: Path) -> Project:
    """Follow a ``.git`` file, and believe a worktree only if the repository
    names it too.
    """
    admin = _pointer(top / ".git", b"gitdir: ")
    if _holds_git(admin):
        return Project(top, top, "linked", f"git data in {admin}")
    common, back = _pointer(admin / "commondir"), _pointer(admin / "gitdir")
    if (
        admin.parent != common / "worktrees"
        or not lexists(back)
        or not samefile(back.parent, top)
    ):
        raise ValueError(
            f"{admin} is for {back.parent}; if that moved, run `git worktree"
            " repair`"
        )
    return Project(
        common.parent if common.name == ".git" else common, top, "worktree"
    )


def _pointer(file: Path, prefix: bytes = b"") -> Path:
    small = isfile(file) and not islink(file) and getsize(file) < 8192
    found = small and re.fullmatch(
        prefix + rb"([^\0\r\n]+)[\r\n]*", file.read_bytes()
    )
    if not found:
        raise ValueError(
            f"{file} is not a file of one short line `{prefix.decode()}PATH`"
        )
    return Path(realpath(file.parent / os.fsdecode(found[1])))


def _holds_git(folder: Path) -> bool:
    return (
        isfile(folder / "HEAD")
        and isdir(folder / "objects")
        and isdir(folder / "refs")
    )


@lru_cache(maxsize=256)
def _resolve(
    start: str,
    is_gone: bool,
    home: Path,
    shown_home: str,
    base: str,
    override: str | None,
) -> MemoryPaths:
    real_home = Path(realpath(home))
    project = Project(Path(start), Path(start), "folder")
    if not is_gone:
        project = find_project(start, ceiling=real_home)
    base_dir = _usable(base, "MEMLAB_HOME", home, real_home)
    user = base_dir / "settings.json"

    def folder_of(root: Path) -> Path:
        shown = str(root)
        if shown_home and root.is_relative_to(real_home):
            shown = shown_home + tilde(root, real_home)[1:]
        return base_dir / "projects" / slug_of(shown)

    root, folder = project.root, folder_of(project.root)
    files = [folder / "settings.json", user]
    if _setting(files, "separate_worktrees", bool, project)[0]:
        root, folder = project.top, folder_of(project.top)
    files = [folder / "settings.json", user]
    if override is not None:
        text, source = override, "MEMLAB_MEMORY_DIR"
    else:
        text, source = _setting(files, "auto_memory_directory", str, project)
    if text is None:
        text = str(folder / "memory")
    memory = _usable(text, source, home, real_home, root, project.top)
    conversations = base_dir / "conversations"
    return MemoryPaths(project, folder, memory, conversations, source)


def _usable(text: str, source: str, home: Path, *held: Path) -> Path:
    """Expand ``~``, and refuse what no memory may be: forks may write anywhere
    in it.
    """
    path = Path(expand_home(re.sub(r"^~\\", "~/", text), home))
    least = Settings.override_min_characters
    # as it is written, and where its links lead
    places = [path] if "\0" in text else [path, Path(realpath(path))]
    what = ""
    if re.search(r"[\x00-\x1f\x7f-\x9f]", text):
        what = "holds a NUL or another control character"
    elif len(text) < least:
        what = f"has fewer than {least} characters"
    elif not path.is_absolute() or ".." in path.parts:
        what = "is not an absolute path without '..'"
    elif any(place == place.parent for place in places):
        what = "is the root of a file system, drive or share"
    elif any(
        one.is_relative_to(place) for one in (home, *held) for place in places
    ):
        what = "holds your home or the project"
    if what:
        do = "Name another, or remove it"
        raise MemoryPathError(f"{text!r} {what}", where=source, do=do)
    return path


def read_settings(file: Path) -> dict[str, Any]:
    """Read a settings file, which need not be there; raises SettingsError for
    one that is broken.
    """
    try:
        values = json.loads(file.read_text("utf-8-sig"))
        if not isinstance(values, dict):
            raise ValueError("this is no JSON object")
    except (OSError, ValueError, RecursionError) as error:
        if isinstance(error, FileNotFoundError) and not islink(file):
            return {}
        do = "Correct it or remove it"
        raise SettingsError(str(error), where=file, do=do) from error
    return values


def _setting(
    files: list[Path], key: str, kind: type, project: Project
) -> tuple[Any, str]:
    """Read a setting from the first file that has it, with the line it stands
    on; None and "default" if none has.
    """
    for file in files:
        values = read_settings(file)
        if key not in values:
            continue
        before, _, _ = file.read_text("utf-8-sig").partition(f'"{key}"')
        line, what = before.count("\n") + 1, ""
        if not isinstance(values[key], kind):
            what = f"{key} is no {kind.__name__}"
        elif project.kind != "folder" and file.resolve().is_relative_to(
            project.top
        ):
            what = f"{key} in a file of a checkout is not trusted"
        if what:
            do = "Correct it or remove it"
            raise SettingsError(what, where=f"{file}:{line}", do=do)
        return values[key], f"{file}:{line}"
    return None, "default"
