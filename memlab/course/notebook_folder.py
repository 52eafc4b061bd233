"""A notebook's own folder: a fresh copy of the example, with the files' times
from the story.

Each kernel has a temporary folder of its own, which is removed when the kernel
ends. So no two kernels share one, and nothing of a person's is in it.
"""

from __future__ import annotations

import atexit
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

_LEFT_BEHIND = {".DS_Store", ".git", ".pytest_cache", "__pycache__"}


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
    chosen = os.environ.get("MEMLAB_COURSE_HOME", "").strip()
    if chosen:
        return Path(chosen).expanduser().resolve()
    return data_files.CLONE / "my"


def prepare_folder(number: int, example: Path) -> NotebookFolder:
    """Put a fresh copy of the example into a notebook's folder, which is at
    the same path as long as the kernel lives.
    """
    folder = NotebookFolder(_temporary_folder() / f"{number:02d}")
    if folder.root.exists():
        # moved first: what cannot be deleted yet is out of the way, too
        old = Path(tempfile.mkdtemp(dir=folder.root.parent))
        folder.root.rename(old / folder.root.name)
        shutil.rmtree(old, ignore_errors=True)
    copy_part(example, "repo", folder.project)
    copy_part(example, "memory", folder.memory)
    copy_part(example, "sessions", folder.sessions)
    return folder


@functools.cache
def _temporary_folder() -> Path:
    """Make this kernel's folder, inside ``MEMLAB_COURSE_HOME`` if it is set,
    so that whoever removes that removes this as well.
    """
    parent = None
    if os.environ.get("MEMLAB_COURSE_HOME", "").strip():
        parent = course_home()
        parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="memlab-", dir=parent)).resolve()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def copy_part(example: Path, part: str, target: Path) -> None:
    """Copy one folder of the example, such as ``memory``, with the times of
    its files, which git does not keep.
    """
    stamps = json.loads((example / "mtimes.json").read_text("utf-8"))
    times = {
        name: to_nanoseconds(datetime.fromisoformat(stamp))
        for name, stamp in stamps.items()
    }
    latest = max(times.values())
    for source in sorted((example / part).rglob("*")):
        inside = source.relative_to(example / part)
        if source.is_dir() or _LEFT_BEHIND & set(inside.parts):
            continue
        copy = target / inside
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(source.read_bytes())
        at = times.get(f"{part}/{inside.as_posix()}", latest)
        os.utime(copy, ns=(at, at))
