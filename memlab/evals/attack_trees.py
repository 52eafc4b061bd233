"""The small trees in which the attack batteries are tried, made afresh in a scratch directory.

Left out: the cases (``attacks.py``) and running them. Whoever calls this hands in an empty
directory that may be thrown away.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from memlab.evals.attacks import AttackFileError


@dataclass(frozen=True)
class Tree:
    """The files of a tree by name, the programs among them, and the places that have a name."""

    files: Mapping[str, str]
    programs: tuple[str, ...]
    places: Mapping[str, str]

    def make(self, root: Path) -> dict[str, Path]:
        """Make the tree below ``root`` and return where its places are."""
        for name, text in self.files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
            if name in self.programs:
                path.chmod(0o755)
        return {place: root / where for place, where in self.places.items()}


def load_tree(folder: Path | str, battery: str) -> Tree:
    """Read the tree of one battery, ``shell`` or ``paths``; raises AttackFileError.

    The shell's places are HOME, PROJECT (where commands run), MEMORY, SESSIONS and OUTSIDE; those
    of the paths are ROOT, MEMORY and OUTSIDE.
    """
    source = Path(folder) / "trees.yaml"
    try:
        tree = yaml.safe_load(source.read_text(encoding="utf-8"))[battery]
        return Tree(tree["files"], tuple(tree.get("programs", ())), tree["places"])
    except (OSError, ValueError, KeyError, TypeError, yaml.YAMLError) as error:
        raise AttackFileError(f"no tree for {battery!r}: {error!r}", where=source) from error


def set_up(entries: Iterable[str], base: Path) -> None:
    """Make what a case needs beside the tree, relative to ``base``.

    An entry is ``name`` (a file), ``name/`` (a directory), ``name -> target`` (a symbolic link) or
    ``name |`` (a named pipe). Directories above it are made too.
    """
    for entry in entries:
        name, arrow, target = entry.partition(" -> ")
        made = base / name.removesuffix(" |").rstrip("/")
        made.parent.mkdir(parents=True, exist_ok=True)
        if arrow:
            made.symlink_to(target)
        elif name.endswith(" |"):
            os.mkfifo(made)
        elif name.endswith("/"):
            made.mkdir()
        else:
            made.write_text("made for this case\n", encoding="utf-8")


def fill(text: str, places: Mapping[str, Path]) -> str:
    """Put the real place for each ``@NAME@`` of a command or path."""
    for name, path in places.items():
        text = text.replace(f"@{name}@", str(path))
    return text
