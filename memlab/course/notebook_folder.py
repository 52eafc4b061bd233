"""A notebook's own folder: a fresh copy of the example, with the files' times
from the story.

Only folders that contain the course's marker are ever moved or removed. If a
learner has changed something in one, the last changed version is kept as
``NN.previous``.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memlab.clock import to_nanoseconds
from memlab.course import data_files
from memlab.errors import CourseError
from memlab.text import expand_home

MARKER = ".memlab-course"
SLUG = "-home-robin-tidebook"
SHOWN_MEMORY = f"~/.memlab/projects/{SLUG}/memory"
"""The memory directory of the story, as the person sees it."""

HIDDEN = {".DS_Store", ".git", ".pytest_cache", "__pycache__"}


@dataclass(frozen=True)
class NotebookFolder:
    """The paths below one notebook's folder."""

    root: Path

    @property
    def project(self) -> Path:
        """The example's repository."""
        return self.root / "tidebook"

    @property
    def base(self) -> Path:
        """Where memlab keeps what it knows, of all projects."""
        return self.root / ".memlab"

    @property
    def sessions(self) -> Path:
        """The example's transcripts."""
        return self.base / "projects" / SLUG

    @property
    def memory(self) -> Path:
        """The example's memory directory."""
        return self.sessions / "memory"


def course_folder(environ: Mapping[str, str] | None = None) -> Path:
    """Return the folder of all notebooks' folders: ``MEMLAB_COURSE_HOME``, or
    ``my/.home`` in the clone.
    """
    chosen = (
        (os.environ if environ is None else environ)
        .get("MEMLAB_COURSE_HOME", "")
        .strip()
    )
    return (
        Path(expand_home(chosen, Path.home())).resolve()
        if chosen
        else data_files.CLONE / "my" / ".home"
    )


def prepare_folder(root: Path, example: Path) -> NotebookFolder:
    """Put a fresh copy of the example at ``root``; if the old folder was
    changed, move it to ``NN.previous``.

    The new state is complete before the old one moves. Raises CourseError,
    with nothing moved, if the folder is not the course's own or is in use.
    """
    fresh, previous = _sibling(root, "new"), _sibling(root, "previous")
    for folder in (root, fresh, previous):
        _check_ours(folder)
    try:
        _remove(fresh)
        fresh.mkdir(mode=0o700, parents=True)
        (fresh / MARKER).write_text("{}", encoding="utf-8")
        _copy_example(NotebookFolder(fresh), example)
        (fresh / MARKER).write_text(
            json.dumps({"state": _state(fresh)}), encoding="utf-8"
        )
        if root.exists():
            _set_aside(root, previous)
        fresh.rename(root)
    except OSError as error:
        raise CourseError(
            "the folder of this notebook cannot be prepared:"
            f" {error.strerror or error}",
            where=f"{root.parent.name}/{root.name}",
            do=(
                "Close programs that use it, look for free space, and run the"
                " cell again"
            ),
        ) from error
    return NotebookFolder(root)


def _set_aside(root: Path, previous: Path) -> None:
    if _untouched(root):
        _remove(root)
    else:
        _remove(previous)
        root.rename(previous)


def _sibling(root: Path, suffix: str) -> Path:
    return root.with_name(f"{root.name}.{suffix}")


def _check_ours(folder: Path) -> None:
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise CourseError("is not a folder", where=folder, do="Move it away")
    if (
        folder.exists()
        and any(folder.iterdir())
        and not (folder / MARKER).is_file()
    ):
        raise CourseError(
            f"contains files but no {MARKER}, so the course did not make it and"
            " does not touch it",
            where=folder,
            do="Move it away, or set MEMLAB_COURSE_HOME to another folder",
        )


def _make_writable(folder: Path) -> None:
    """Take the write protection off all files, such as those of git: Windows
    removes no file that has it.
    """
    for path in folder.rglob("*"):
        mode = os.lstat(path).st_mode
        if stat.S_ISREG(mode) and not mode & stat.S_IWUSR:
            path.chmod(0o600)


def _remove(folder: Path) -> None:
    """Remove one of the course's own folders.

    The marker goes last, so that a folder removed in part is still the
    course's.
    """
    if not folder.exists():
        return
    for entry in folder.iterdir():
        if entry.name != MARKER:
            if entry.is_dir() and not entry.is_symlink():
                _make_writable(entry)
                shutil.rmtree(entry)
            else:
                entry.unlink()
    (folder / MARKER).unlink(missing_ok=True)
    folder.rmdir()


def _copy_example(folder: NotebookFolder, example: Path) -> None:
    targets = {
        "repo": folder.project,
        "memory": folder.memory,
        "sessions": folder.sessions,
    }
    for part, target in targets.items():
        copy_part(example, part, target)


def copy_part(example: Path, part: str, target: Path) -> None:
    """Copy one folder of the example, such as ``memory``, with the times of
    its files.
    """
    times = _times(example)
    rest = max(times.values(), default=0)
    for source in visible_files(example / part):
        inside = source.relative_to(example / part)
        copy = target / inside
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(source.read_bytes())
        at = times.get(f"{part}/{inside.as_posix()}", rest)
        os.utime(copy, ns=(at, at))


def _times(example: Path) -> dict[str, int]:
    """Read the manifest of times, in nanoseconds since 1970; git keeps none."""
    try:
        stamps = json.loads(
            (example / "mtimes.json").read_text(encoding="utf-8")
        )
        return {name: _nanoseconds(stamp) for name, stamp in stamps.items()}
    except (ValueError, AttributeError, TypeError) as error:
        raise CourseError(
            f"cannot be read: {error}",
            where="data/example/mtimes.json",
            do="Restore it: git checkout -- data",
        ) from error


def _nanoseconds(stamp: str) -> int:
    moment = datetime.fromisoformat(stamp)
    if moment.tzinfo is None:
        raise ValueError(f"{stamp} has no offset")
    return to_nanoseconds(moment)


def visible_files(folder: Path) -> Iterator[Path]:
    """Return the files below a folder, without those that programs leave
    behind.
    """
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not HIDDEN & set(path.relative_to(folder).parts):
            yield path


def _state(folder: Path) -> str:
    """Sum up names, sizes and times of the files below a folder."""
    lines = []
    for path in visible_files(folder):
        if path.name != MARKER:
            found = path.stat()
            name = path.relative_to(folder).as_posix()
            lines.append(f"{name} {found.st_size} {found.st_mtime_ns}")
    return hashlib.sha256(
        "\n".join(lines).encode("utf-8", "surrogateescape")
    ).hexdigest()


def _untouched(root: Path) -> bool:
    try:
        noted = json.loads((root / MARKER).read_text(encoding="utf-8"))
        return bool(noted.get("state") == _state(root))
    except (OSError, ValueError, AttributeError):
        return False
