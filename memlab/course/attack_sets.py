"""The attack sets in a notebook: how many cases a guard gets wrong.

A guard is a function of a command, or of a directory and a path. What it
returns counts as yes or no, a verdict by its ``allowed``, and an error as no.
No command is run.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memlab import evals
from memlab.course.display import Table, table
from memlab.course.lab import Lab
from memlab.errors import MemlabError
from memlab.memdir.folder import Folder
from memlab.memdir.names import plain_file

if TYPE_CHECKING:
    from memlab.evals.attacks import PathCase, ShellCase

CommandGuard = Callable[[str], Any]
PathGuard = Callable[[Path, str], Any]


def resolve_memory_path(directory: Path, path: str) -> Path:
    """Give the place of a file below the directory, by memlab's own check."""
    return directory / plain_file(Folder(directory), path)


def walk_down(folder: int, parts: Sequence[str]) -> int:
    """Open the folder that some names below an open one lead to."""
    held = os.dup(folder)
    for part in parts:
        above = held
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
        held = os.open(part, flags, dir_fd=above)
        os.close(above)
    return held


class AttackSets:
    """The cases of ``data/attacks``; trees for the paths are made in the lab's
    home and removed.
    """

    def __init__(self, lab: Lab) -> None:
        folder = lab.example.parent / "attacks"
        self.shell = evals.load_shell_cases(folder)
        self.paths = evals.load_path_cases(folder)
        self._tree = evals.load_trees(folder).paths
        self._home = lab.home

    def score_commands(
        self, *guards: CommandGuard, halves: Sequence[str] = ("work",)
    ) -> Table:
        """Count the commands that each guard allows or refuses wrongly, for
        each half.
        """
        named = {_name(guard): partial(_allows, guard) for guard in guards}
        return _scores(self.shell, named, halves)

    def score_paths(
        self, *guards: PathGuard, halves: Sequence[str] = ("work",)
    ) -> Table:
        """Count the paths that each guard allows or refuses wrongly, for each
        half.
        """
        named = {
            _name(guard): partial(self._allows_path, guard) for guard in guards
        }
        return _scores(self.paths, named, halves)

    def refusal(self, guard: PathGuard, case: PathCase) -> str:
        """Say why a guard refuses a path in a fresh tree; nothing if it allows
        it.
        """
        with tempfile.TemporaryDirectory(dir=self._home) as scratch:
            directories = self._tree.make(Path(scratch))
            memory = directories["MEMORY"]
            evals.set_up(
                [evals.fill(entry, directories) for entry in case.setup],
                memory,
            )
            try:
                return (
                    ""
                    if guard(memory, evals.fill(case.path, directories))
                    else "refused"
                )
            except MemlabError as error:
                return error.what
            # a loop, a NUL, a long name
            except (ValueError, OSError, RuntimeError) as error:
                return type(error).__name__

    def _allows_path(self, guard: PathGuard, case: PathCase) -> bool:
        return not self.refusal(guard, case)


def _scores(
    cases: Sequence[ShellCase] | Sequence[PathCase],
    guards: Mapping[str, Callable[[Any], bool]],
    halves: Iterable[str],
) -> Table:
    columns = ["guard"]
    rows: list[list[Any]] = [[name] for name in guards]
    for half in halves:
        for allow, what in (
            (False, "wrongly allowed"),
            (True, "wrongly refused"),
        ):
            some = [
                case
                for case in cases
                if case.half == half and case.allow is allow
            ]
            columns.append(f"{half}: {what}, of {len(some)}")
            for row, guard in zip(rows, guards.values(), strict=True):
                row.append(sum(guard(case) is not allow for case in some))
    return table(rows, columns)


def _allows(guard: CommandGuard, case: ShellCase) -> bool:
    verdict = guard(_filled(case.command))
    return bool(getattr(verdict, "allowed", verdict))


def _filled(command: str) -> str:
    """Replace each ``@NAME@`` by a directory that need not exist."""
    return re.sub(r"@([A-Z]+)@", r"/home/robin/\1", command)


def _name(guard: Callable[..., Any]) -> str:
    return str(getattr(guard, "__name__", guard))
