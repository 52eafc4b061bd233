"""The stamp inside ``.venv``: how far its making got, and for what it was made.

It is written before each stage begins, so that whatever interrupts the work leaves a stamp that
says so. The folder is ours to empty while it carries the stamp.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from memlab.cli.setup.packages import fingerprint_source
from memlab.cli.setup.place import Clone
from memlab.cli.setup.profiles import PROFILES, Profile

NAME = "memlab-stamp.json"
State = Literal["making", "made", "installing", "ready"]


@dataclass(frozen=True)
class Stamp:
    """One stage of a virtual environment's life."""

    state: State
    clone: str
    python: str
    profile: str
    inputs: str = ""

    def covers(self, other: Stamp) -> bool:
        """Tell whether this stamp promises at least what ``other`` asks for."""
        same = self.state == other.state and self.fits(other) and self.inputs == other.inputs
        return same and PROFILES[self.profile].includes(PROFILES[other.profile])

    def fits(self, other: Stamp) -> bool:
        """Tell whether both speak of one folder and one Python version."""
        return (self.clone, self.python) == (other.clone, other.python)


def stamp_for(clone: Clone, state: State, profile: Profile) -> Stamp:
    """Make the stamp that this clone and this Python call for."""
    inputs = hashlib.sha256(fingerprint_source(clone).encode()).hexdigest()
    return Stamp(state, str(clone.root), python_version(), profile.name, inputs)


def python_version() -> str:
    """Give the running Python's minor version, such as ``3.12``."""
    return f"{sys.version_info[0]}.{sys.version_info[1]}"


def read_stamp(venv: Path) -> Stamp | None:
    """Read a folder's stamp; None when it has none, or one that says nothing."""
    try:
        fields = json.loads((venv / NAME).read_text("utf-8"))
        stamp = Stamp(**fields)
    except (OSError, ValueError, TypeError):
        return None
    return stamp if stamp.profile in PROFILES else None


def write_stamp(venv: Path, stamp: Stamp) -> None:
    """Replace the folder's stamp, all of it or nothing."""
    fresh = venv / f"{NAME}.new"
    fresh.write_text(json.dumps(asdict(stamp)), "utf-8")
    os.replace(fresh, venv / NAME)
