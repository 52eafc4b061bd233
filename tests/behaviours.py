"""Which test proves which behaviour: ``behaviours.yaml`` and the markers, as a table.

``python -m tests.behaviours`` writes the table into ``tests/README.md``. A test names what it
proves with ``@pytest.mark.behaviour("A1")``. The markers are read from the source, so tests of
every tier count and none has to be collected. Left out: whether a test is a good one.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

TESTS = Path(__file__).resolve().parent
README = TESTS / "README.md"
LIST = TESTS / "behaviours.yaml"
BEGIN, END = "<!-- behaviours: begin -->", "<!-- behaviours: end -->"


@dataclass(frozen=True)
class Proof:
    """One test that names a behaviour."""

    behaviour: str
    file: str
    test: str


def titles(path: Path = LIST) -> dict[str, str]:
    """Read the list: each behaviour's identifier with its title."""
    return dict(yaml.safe_load(path.read_text(encoding="utf-8")))


def proofs(folder: Path = TESTS) -> list[Proof]:
    """Find every marker, in the order of the files and their lines."""
    found: list[Proof] = []
    for path in sorted(folder.rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if "mark.behaviour(" not in text:
            continue
        file = path.relative_to(folder).as_posix()
        for name, marked in _marked(ast.parse(text)):
            found += [Proof(behaviour, file, name) for behaviour in marked]
    return found


def problems(known: Mapping[str, str], found: list[Proof]) -> Iterator[str]:
    """Name the markers that cannot be right: of no behaviour, or there twice."""
    seen = set()
    for proof in found:
        where = f"tests/{proof.file}, {proof.test}"
        if proof.behaviour not in known:
            yield f"{where}: {proof.behaviour!r} is not in tests/behaviours.yaml"
        if proof in seen:
            yield f"{where}: {proof.behaviour} is named twice"
        seen.add(proof)


def table(known: Mapping[str, str], found: list[Proof]) -> str:
    """Write the table; behaviours that no test proves are listed above it."""
    proven = {proof.behaviour for proof in found}
    missing = ", ".join(name for name in known if name not in proven) or "none"
    lines = [f"No test proves these behaviours yet: {missing}.", ""]
    lines += ["| | behaviour | proved by |", "| --- | --- | --- |"]
    for name, title in known.items():
        tests = [f"`{proof.file}::{proof.test}`" for proof in found if proof.behaviour == name]
        lines.append(f"| {name} | {title} | {'<br>'.join(tests) or '*nothing yet*'} |")
    return "\n".join(lines)


def shown(text: str) -> str:
    """Return the table that a README contains."""
    return text.partition(BEGIN)[2].partition(END)[0].strip()


def write(readme: Path = README) -> None:
    """Put the table of today between the two marks of the README."""
    text = readme.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    new = f"{before}{BEGIN}\n{table(titles(), proofs())}\n{END}{after}"
    readme.write_text(new, encoding="utf-8")


def _marked(tree: ast.Module) -> Iterator[tuple[str, list[str]]]:
    """Give each marked test or class of tests with the behaviours it names."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        named = [
            str(argument.value)
            for decorator in node.decorator_list
            if isinstance(decorator, ast.Call)
            and ast.unparse(decorator.func) == "pytest.mark.behaviour"
            for argument in decorator.args
            if isinstance(argument, ast.Constant)
        ]
        if named:
            yield node.name, named


if __name__ == "__main__":
    write()
    print(f"{os.path.relpath(README)} is written")
