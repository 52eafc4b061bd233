"""A notebook's own folder: a fresh copy of the example, with the files' times
from the story.

Each kernel has a temporary folder of its own, which is removed when the kernel
ends. So no two kernels share one, and nothing of a person's is in it.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import tempfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memlab.clock import to_nanoseconds
from memlab.course import data_files

SLUG = "-home-robin-tidebook"
SHOWN_MEMORY = f"~/.memlab/projects/{SLUG}/memory"
"""The memory directory of the story, as the person sees it."""


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


def course_home() -> Path:
    """Return the folder with what the course keeps of the learner's:
    ``MEMLAB_COURSE_HOME``, or ``my`` in the clone.
    """
    chosen = os.environ.get("MEMLAB_COURSE_HOME") or data_files.CLONE / "my"
    return Path(chosen).expanduser().resolve()


def prepare_folder(number: int, example: Path) -> NotebookFolder:
    """Put a fresh copy of the example into a notebook's folder, which is at
    the same path as long as the kernel lives.
    """
    home = Path(_temporary_folder().name).resolve()
    folder = NotebookFolder(home / f"{number:02d}")
    if folder.root.exists():
        # moved first: what cannot be deleted yet is out of the way, too
        old = Path(tempfile.mkdtemp(dir=home))
        folder.root.rename(old / "old")
        shutil.rmtree(old, ignore_errors=True)
    copy_part(example, "repo", folder.project)
    copy_part(example, "sessions", folder.sessions)
    copy_part(example, "memory", folder.memory)
    return folder


@functools.cache
def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """Make this kernel's folder, inside ``MEMLAB_COURSE_HOME`` if it is set,
    so that whoever removes that removes this as well.
    """
    parent = os.environ.get("MEMLAB_COURSE_HOME") or None
    if parent:
        os.makedirs(parent, exist_ok=True)
    return tempfile.TemporaryDirectory(
        prefix="memlab-", dir=parent, ignore_cleanup_errors=True
    )


def copy_part(example: Path, part: str, target: Path) -> None:
    """Copy one folder of the example, such as ``memory``, with the times of
    its files, which git does not keep.
    """
    shutil.copytree(
        example / part,
        target,
        ignore=shutil.ignore_patterns(".DS_Store", ".git", "__pycache__"),
        copy_function=shutil.copyfile,
        dirs_exist_ok=True,
    )
    stamps = json.loads((example / "mtimes.json").read_text("utf-8"))
    times = {
        name: to_nanoseconds(datetime.fromisoformat(stamp))
        for name, stamp in stamps.items()
    }
    for path in target.rglob("*"):
        name = f"{part}/{path.relative_to(target).as_posix()}"
        at = times.get(name, max(times.values()))
        os.utime(path, ns=(at, at))
