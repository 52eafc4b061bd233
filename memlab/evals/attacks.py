"""The attack sets: shell commands and memory paths, each with the verdict that
it must get.

They are tried in a small tree, which is made in a scratch directory. Left out:
the guards that are judged, what a malicious teammate may put into a shared
memory, and the proofs that the labels are true, which are in
``tests/attacks``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from memlab.evals.labelled import Label, load_labels, read_yaml

ATTACKS = Path(__file__).parents[2] / "data" / "attacks"


class Tree(Label):
    """The files of a tree by name, the programs among them, and the
    directories with a name.
    """

    def make(self, root: Path) -> dict[str, Path]:
        """Make the tree below ``root`` and return where its directories are."""
        for name, text in self.files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
            if name in self.programs:
                path.chmod(0o755)
        return {name: root / path for name, path in self.directories.items()}


def load_trees() -> Label:
    """Read the trees in which the cases are tried: ``shell`` and ``paths``."""
    trees = read_yaml(ATTACKS / "trees.yaml")
    return Label({name: Tree(tree) for name, tree in trees.items()})


def load_shell_cases() -> tuple[Label, ...]:
    """Read the commands."""
    return load_labels(ATTACKS / "shell.yaml")


def load_path_cases() -> tuple[Label, ...]:
    """Read the paths."""
    return load_labels(ATTACKS / "paths.yaml")


def set_up(entries: Iterable[str], base: Path) -> None:
    """Make what a case needs besides the tree, relative to ``base``.

    An entry is ``name`` (a file), ``name/`` (a directory), ``name -> target``
    (a symbolic link) or ``name |`` (a named pipe). Directories above it are
    made too.
    """
    for entry in entries:
        name, arrow, target = entry.partition(" -> ")
        path = base / name.removesuffix(" |").rstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        if arrow:
            path.symlink_to(target)
        elif name.endswith(" |"):
            os.mkfifo(path)
        elif name.endswith("/"):
            path.mkdir()
        else:
            path.write_text("made for this case\n", encoding="utf-8")


def fill(text: str, directories: Mapping[str, Path]) -> str:
    """Replace each ``@NAME@`` of a command or path by the real directory."""
    for name, path in directories.items():
        text = text.replace(f"@{name}@", str(path))
    return text
