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
    lines = linecache.getlines(codes[0].co_filename)[:] if codes else []
    for node in ast.parse("".join(lines)).body:
        if isinstance(node, ast.Expr):
            for number in range(node.lineno - 1, node.end_lineno or 0):
                lines[number] = "\n"
    return "".join(lines).strip("\n") + "\n"


def stand_alone(thing: Any) -> str:
    """Return the source of a function or class with the imports, constants and
    helpers of its module that it needs; a class of the module is imported.
    """
    module = sys.modules[thing.__module__]
    text = inspect.getsource(module)
    bound = _bound_at_top(ast.parse(text))
    known, imports, pieces = {thing.__name__}, set(), []

    def add_needs(node: ast.AST) -> None:
        inside = list(ast.walk(node))
        arguments = {each.arg for each in inside if isinstance(each, ast.arg)}
        for each in inside:
            name = getattr(each, "id", None)
            if name in known | arguments or name not in bound:
                continue
            known.add(name)
            needed = bound[name]
            if isinstance(needed, ast.ClassDef):
                imports.add(f"from {module.__name__} import {name}")
            elif isinstance(needed, ast.Import | ast.ImportFrom):
                imports.add(ast.unparse(needed))
            else:
                add_needs(needed)
                pieces.append(ast.get_source_segment(text, needed))

    add_needs(bound[thing.__name__])
    first = "\n".join(sorted(imports, key=lambda line: (line[0] == "f", line)))
    source = inspect.getsource(thing)
    return "\n\n\n".join(filter(None, [first, *pieces, source]))


def _bound_at_top(module: ast.Module) -> dict[str, ast.stmt]:
    """Return the statements at the top of a module by the names they bind."""
    found: dict[str, ast.stmt] = {}
    statements = module.body
    for node in statements:
        if isinstance(node, ast.If):  # if TYPE_CHECKING
            statements += node.body
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                alone = copy.copy(node)
                alone.names = [alias]
                found[alias.asname or alias.name.partition(".")[0]] = alone
        else:
            targets = getattr(node, "targets", [getattr(node, "target", node)])
            for target in targets:
                name = getattr(target, "id", getattr(target, "name", ""))
                found[name] = node
    return found
