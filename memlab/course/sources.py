"""Makes a part stand alone: takes a learner's function out of its cell, and
memlab's own out of its module.
"""

from __future__ import annotations

import ast
import copy
import inspect
import linecache
import re
import sys
from types import ModuleType
from typing import Any

ELLIPSIS = re.compile(r"^\s+\.\.\.\s*(#.*)?$", re.MULTILINE)
"""The line of a starter that is still to be written."""


def load(name: str, source: str, file: str = "") -> Any:
    """Run a part's source alone, as the next notebook will; returns its
    function or class.
    """
    from memlab.course import my

    file = file or f"<{name}>"
    lines = source.splitlines(keepends=True)
    linecache.cache[file] = (len(source), None, lines, file)
    names = {"__name__": "__main__", "my": my}
    exec(compile(source, file, "exec", dont_inherit=True), names)
    return names[name]


def definition_cell(thing: Any) -> str:
    """Return the text of the cell that defines a function or class, without
    what the cell calls at its top.
    """
    functions = [thing, *vars(thing).values()]
    codes = [each.__code__ for each in functions if hasattr(each, "__code__")]
    lines = linecache.getlines(codes[0].co_filename) if codes else []
    for node in ast.parse("".join(lines)).body:
        if isinstance(node, ast.Expr):
            for number in range(node.lineno - 1, node.end_lineno or 0):
                lines[number] = "\n"
    return "".join(lines).strip("\n") + "\n"


def stand_alone(thing: Any) -> str:
    """Return the source of a function or class with the imports, constants and
    helpers of its module that it needs; a class of the module is imported.
    """
    statements = _statements(sys.modules[thing.__module__])
    known = {thing.__name__}
    imports: set[str] = set()
    pieces: list[str] = []

    def add_needs(source: str) -> None:
        nodes = list(ast.walk(ast.parse(source)))
        arguments = {node.arg for node in nodes if isinstance(node, ast.arg)}
        for node in nodes:
            name = getattr(node, "id", "")
            if name in known | arguments or name not in statements:
                continue
            known.add(name)
            statement = statements[name]
            if statement.startswith(("import ", "from ")):
                imports.add(statement)
            elif statement.startswith(("class ", "@dataclass")):
                imports.add(f"from {thing.__module__} import {name}")
            else:
                add_needs(statement)
                pieces.append(statement)

    source = inspect.getsource(thing).rstrip()
    add_needs(source)
    in_order = sorted(imports, key=lambda line: (line[0] == "f", line))
    everything = ["\n".join(in_order), *pieces, source]
    return "\n\n\n".join(filter(None, everything)) + "\n"


def _statements(module: ModuleType) -> dict[str, str]:
    """Return the statements at the top of a module by the names they bind."""
    text = inspect.getsource(module)
    nodes = ast.parse(text).body
    found = {}
    for node in nodes:
        if isinstance(node, ast.If):  # if TYPE_CHECKING
            nodes += node.body
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                alone = copy.copy(node)
                alone.names = [alias]
                name = alias.asname or alias.name.partition(".")[0]
                found[name] = ast.unparse(alone)
        else:
            first = min(
                each.lineno
                for each in (node, *getattr(node, "decorator_list", []))
            )
            lines = text.splitlines()[first - 1 : node.end_lineno]
            targets = getattr(node, "targets", [getattr(node, "target", node)])
            for target in targets:
                name = getattr(target, "id", getattr(target, "name", ""))
                found[name] = "\n".join(lines)
    return found
