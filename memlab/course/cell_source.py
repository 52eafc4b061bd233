"""Takes a definition out of the notebook's cells, with all that it needs.

A cell's source is parsed, and the definition is cut out of the syntax tree,
because Python 3.11 cannot find the source of a class in a cell. The imports,
constants and helpers that it refers to are looked for in the cells that ran,
the newest first, and so are those that these refer to in turn.
"""

from __future__ import annotations

import ast
import builtins
import linecache
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from memlab.course.parts_file import global_names

_FROM_COURSE = {"my": "from memlab.course import my"}


@dataclass(frozen=True)
class Definition:
    """The source of a function or class.

    ``code`` has the imports, the constants and helpers, and at the end the
    definition itself, which is ``own``. ``missing`` has the names that no cell
    defines in a way that can be copied.
    """

    own: str
    code: str
    missing: tuple[str, ...] = ()


@dataclass
class Cells:
    """The cells that ran in this kernel, in their order, as plain Python."""

    sources: list[str] = field(default_factory=list)

    def add(self, source: str) -> None:
        """Remember a cell that is about to run."""
        if source.strip():
            self.sources.append(source)

    def newest_first(self) -> Iterator[str]:
        """Return the cells, those that ran last first."""
        return reversed(self.sources)


CELLS = Cells()


def find_definition(
    thing: Any,
    *,
    names: Mapping[str, Any] | None = None,
    saved: Collection[str] = (),
    notebooks_own: tuple[type, ...] = (),
    cells: Cells = CELLS,
) -> Definition | None:
    """Find the source of a function or class; None if no cell defines it.

    ``names`` has what the notebook has defined, for what was imported in a
    way that no statement shows. ``saved`` names parts that need not be copied.
    A value of ``notebooks_own`` types cannot be copied.
    """
    name = thing.__name__
    own_cell = _own_cell(thing)
    recent = list(cells.newest_first())
    own = _find(name, [*own_cell, *recent], only=_is_definition)
    if own is None:
        return None
    copied = _Copied(
        [*recent, *own_cell], names or {}, {name, *saved}, notebooks_own
    )
    copied.need(own)
    imports = "\n".join(sorted(set(copied.imports)))
    pieces = [imports, *copied.pieces, own]
    code = "\n\n\n".join(filter(None, pieces))
    return Definition(own, code, tuple(copied.missing))


def same_code(one: str, other: str) -> bool:
    """Tell whether two sources are the same program, apart from imports,
    comments and docstrings.
    """
    try:
        return _bare(one) == _bare(other)
    except SyntaxError:
        return False


def _bare(source: str) -> str:
    tree = ast.parse(source)
    kept = [
        node
        for node in tree.body
        if not isinstance(node, ast.Import | ast.ImportFrom)
    ]
    documented = [
        node
        for top in kept
        for node in ast.walk(top)
        if isinstance(
            node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
        )
        and ast.get_docstring(node, clean=False) is not None
    ]
    for node in documented:
        node.body = node.body[1:] or [ast.Pass()]
    return "\n".join(ast.dump(node) for node in kept)


class _Copied:
    """What is copied along with a definition: imports, then constants and
    helpers, each before what needs it.
    """

    def __init__(
        self,
        sources: list[str],
        names: Mapping[str, Any],
        known: Collection[str],
        notebooks_own: tuple[type, ...],
    ) -> None:
        self.imports: list[str] = []
        self.pieces: list[str] = []
        self.missing: list[str] = []
        self._sources = sources
        self._names = names
        self._notebooks_own = notebooks_own
        self._known = {*known, *vars(builtins)}

    def need(self, source: str) -> None:
        """Copy what a piece of source refers to."""
        for name in global_names(source):
            if name in self._known:
                continue
            self._known.add(name)
            self._copy(name)

    def _copy(self, name: str) -> None:
        if name in _FROM_COURSE:
            self.imports.append(_FROM_COURSE[name])
            return
        value = self._names.get(name)
        if isinstance(value, self._notebooks_own):
            self.missing.append(name)
            return
        found = _find(name, self._sources)
        if found is None:
            found = _import_of(name, value)
        if not found:
            self.missing.append(name)
        elif _is_import(found):
            self.imports.append(found)
        elif _awaits(found):
            # it depends on what the notebook did, and cannot be run again
            self.missing.append(name)
        else:
            self.need(found)
            self.pieces.append(found)


def _own_cell(thing: Any) -> list[str]:
    """Return the text that a function, or a method of a class, was compiled
    from.
    """
    functions = [thing, *vars(thing).values()]
    for function in functions:
        code = getattr(function, "__code__", None)
        if code is not None:
            text = "".join(linecache.getlines(code.co_filename))
            return [text] if text else []
    return []


def _find(
    name: str,
    sources: Collection[str],
    *,
    only: Callable[[ast.stmt], bool] = lambda node: True,
) -> str | None:
    """Return the newest statement that binds a name at the top of a cell."""
    for source in sources:
        tree = _parsed(source)
        for node in reversed(tree.body):
            if name in _bound(node) and only(node):
                return _source_of(node, name, source)
    return None


def _is_definition(node: ast.stmt) -> bool:
    return isinstance(
        node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    )


def _parsed(source: str) -> ast.Module:
    """Parse a cell, which may await at its top."""
    flags = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    try:
        tree = compile(source, "cell", "exec", flags, dont_inherit=True)
    except SyntaxError:
        return ast.Module([], [])
    assert isinstance(tree, ast.Module)
    return tree


def _awaits(source: str) -> bool:
    """Tell whether a statement awaits at its top; inside a function it may."""
    try:
        compile(source, "part", "exec", dont_inherit=True)
    except SyntaxError:
        return True
    return False


def _is_import(source: str) -> bool:
    return source.startswith(("import ", "from "))


def _bound(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {_bound_alias(node, alias) for alias in node.names}
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        targets = [node.target]
    return {
        part.id
        for target in targets
        for part in ast.walk(target)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }


def _bound_alias(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    if isinstance(node, ast.Import):
        return alias.asname or alias.name.partition(".")[0]
    return alias.asname or alias.name


def _source_of(node: ast.stmt, name: str, source: str) -> str:
    if isinstance(node, ast.Import | ast.ImportFrom):
        # of several names that one statement imports, only this one
        node.names = [
            alias for alias in node.names if _bound_alias(node, alias) == name
        ]
        return ast.unparse(node)
    lines = source.splitlines()
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(each.lineno for each in decorators)])
    last = node.end_lineno or node.lineno
    if first == last and not _is_definition(node):
        return ast.unparse(node)
    return "\n".join(lines[first - 1 : last])


def _import_of(name: str, value: Any) -> str:
    """Write the import of something that was imported in a way that no
    statement shows, such as ``import *``; empty if it was not.
    """
    if isinstance(value, ModuleType):
        if value.__name__ == "__main__":
            return ""
        return (
            f"import {name}"
            if value.__name__ == name
            else f"import {value.__name__} as {name}"
        )
    module = getattr(value, "__module__", None)
    if not isinstance(module, str) or module == "__main__":
        return ""
    home = sys.modules.get(module)
    if (
        home is not None
        and getattr(home, name, None) is value
        and callable(value)
    ):
        return f"from {module} import {name}"
    return ""
