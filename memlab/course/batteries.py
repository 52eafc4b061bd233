"""The attack batteries in a notebook: how many cases a guard gets wrong, and what stops a path.

A guard is a function of a command, or of a directory and a path. What it gives counts as yes or no,
a verdict by its ``allowed``, and an error as no. Left out: carrying any case out.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from memlab.course.lab import Lab
from memlab.course.tables import Table, table
from memlab.errors import MemlabError
from memlab.evals.attack_trees import fill, load_tree, set_up
from memlab.evals.attacks import PathCase, ShellCase, load_path_cases, load_shell_cases

CommandGuard = Callable[[str], Any]
PathGuard = Callable[[Path, str], Any]


class Batteries:
    """The cases of ``data/attacks``; trees for the paths are made in the lab's home and removed."""

    def __init__(self, lab: Lab) -> None:
        folder = lab.example.parent / "attacks"
        self.shell, self.paths = load_shell_cases(folder), load_path_cases(folder)
        self._tree, self._home = load_tree(folder, "paths"), lab.home

    def score_commands(self, *guards: CommandGuard, halves: Sequence[str] = ("work",)) -> Table:
        """Count the commands that each guard allows or refuses wrongly, for each half."""
        return _scores(self.shell, {_name(one): partial(_allows, one) for one in guards}, halves)

    def score_paths(self, *guards: PathGuard, halves: Sequence[str] = ("work",)) -> Table:
        """Count the paths that each guard allows or refuses wrongly, for each half."""
        named = {_name(one): partial(self._allows_path, one) for one in guards}
        return _scores(self.paths, named, halves)

    def stopped_by(self, guard: PathGuard, *ids: str, beside: PathGuard) -> Table:
        """Show why a guard refuses these paths, and what another guard says beside it."""
        cases = {case.id: case for case in self.paths}
        rows = [
            (
                ascii(cases[name].path),
                cases[name].reason,
                self.tried(beside, cases[name]) or "allowed",
                self.tried(guard, cases[name]) or "allowed",
            )
            for name in ids
        ]
        return table(rows, ["path", "what it is", _name(beside), _name(guard)])

    def tried(self, guard: PathGuard, case: PathCase) -> str:
        """Say why a guard refuses a path in a tree of its own; nothing if it allows it."""
        with tempfile.TemporaryDirectory(dir=self._home) as made:
            places = self._tree.make(Path(made))
            set_up([fill(entry, places) for entry in case.setup], places["MEMORY"])
            try:
                return "" if guard(places["MEMORY"], fill(case.path, places)) else "refused"
            except MemlabError as error:
                return error.what
            except (ValueError, OSError, RuntimeError) as error:  # a loop, a NUL, a long name
                return type(error).__name__

    def milliseconds(self, guard: CommandGuard) -> float:
        """Give the median time of a guard over all commands."""
        times = []
        for case in self.shell:
            begun = time.perf_counter()
            guard(case.command)
            times.append(1_000 * (time.perf_counter() - begun))
        return statistics.median(times)

    def _allows_path(self, guard: PathGuard, case: PathCase) -> bool:
        return not self.tried(guard, case)


def _scores(
    cases: Sequence[ShellCase] | Sequence[PathCase],
    guards: Mapping[str, Callable[[Any], bool]],
    halves: Iterable[str],
) -> Table:
    columns, rows = ["guard"], [list[Any]([name]) for name in guards]
    for half in halves:
        mine = [case for case in cases if case.half == half]
        for allow, what in ((False, "wrongly allowed"), (True, "wrongly refused")):
            known = [case for case in mine if case.allow is allow]
            columns.append(f"{half}: {what}, of {len(known)}")
            for row, guard in zip(rows, guards.values(), strict=True):
                row.append(sum(guard(case) is not allow for case in known))
    return table(rows, columns)


def _allows(guard: CommandGuard, case: ShellCase) -> bool:
    said = guard(case.command)
    return bool(getattr(said, "allowed", said))


def _name(guard: Callable[..., Any]) -> str:
    return str(getattr(guard, "__name__", guard))
