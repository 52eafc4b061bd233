"""A throw-away copy of the project in which one line can be changed.

Everything is copied, nothing linked: a changed package may write where it should not. Left out:
running anything.
"""

from __future__ import annotations

import compileall
import py_compile
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.mutation.mutations import Mutation

COPIED = ("memlab", "data", "notebooks", "tests")
SETTINGS = "pyproject.toml"  # pytest's settings are in it
_LEFT_BEHIND = shutil.ignore_patterns(
    "__pycache__", ".ipynb_checkpoints", ".ruff_cache", ".mypy_cache"
)


class MutationError(Exception):
    """A mutation cannot be made: its place in the list is wrong."""


def copy_project(root: Path, target: Path) -> Path:
    """Copy what a notebook or a test needs from ``root`` into ``target`` and return ``target``."""
    for name in COPIED:
        if (root / name).exists():
            shutil.copytree(root / name, target / name, ignore=_LEFT_BEHIND)
    if (root / SETTINGS).exists():
        shutil.copy(root / SETTINGS, target / SETTINGS)
    _compile(target / "memlab")
    return target


def _compile(package: Path) -> None:
    """Compile the copy once; bytecode is used as long as its source has the same hash."""
    compileall.compile_dir(
        package, quiet=2, invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH
    )


def changed_text(root: Path, mutation: Mutation) -> tuple[str, str]:
    """Return the text of the mutation's file before and after.

    Raises ``MutationError`` if it is not exactly one change to one line of code that compiles.
    """
    path = root / mutation.file
    if not path.is_file():
        raise MutationError("there is no such file")
    before = path.read_text(encoding="utf-8")
    found = before.count(mutation.old) if mutation.old else 0
    if found != 1:
        raise MutationError(f"the old text stands there {found} times, not once")
    after = before.replace(mutation.old, mutation.new)
    lines = list(zip(before.splitlines(), after.splitlines(), strict=False))
    changed = sum(old != new for old, new in lines)
    if len(before.splitlines()) != len(after.splitlines()) or changed != 1:
        raise MutationError("it does not change exactly one line")
    if path.suffix == ".py":
        try:
            compile(after, mutation.file, "exec", dont_inherit=True)
        except SyntaxError as error:
            raise MutationError(f"the changed file does not compile: {error.msg}") from error
    return before, after


@contextmanager
def mutated(tree: Path, mutation: Mutation) -> Iterator[None]:
    """Change the line inside ``tree``, and put it back on leaving."""
    before, after = changed_text(tree, mutation)
    path = tree / mutation.file
    path.write_text(after, encoding="utf-8", newline="\n")
    try:
        yield
    finally:
        path.write_text(before, encoding="utf-8", newline="\n")
