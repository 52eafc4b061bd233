"""A "no" counts as false, so that ``if is_…(…):`` runs its branch only after a yes.

Left out: which commands, locks and gates get which answer; the tests of each module say that.
"""

from __future__ import annotations

import ast
import importlib
import types
from collections.abc import Iterator, Mapping
from functools import reduce
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest

import memlab
from memlab.agent.permissions import Decision
from memlab.agent.shell import is_read_only_command
from memlab.dream import ConsolidationLock, GateReport
from memlab.dream import Verdict as GateVerdict

PACKAGE = Path(memlab.__file__).parent
PREFIXES = ("is_", "may_", "can_", "try_")


@pytest.fixture(scope="module")
def modules() -> dict[str, ast.Module]:
    return {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts): ast.parse(
            path.read_text("utf-8")
        )
        for path in sorted(PACKAGE.rglob("*.py"))
    }


def questions(modules: Mapping[str, ast.Module]) -> Iterator[tuple[str, str]]:
    """Give the module and the qualified name of every public function that asks a question."""
    for module, top in modules.items():
        classes = [node for node in top.body if isinstance(node, ast.ClassDef)]
        owners: list[ast.Module | ast.ClassDef] = [top, *classes]
        for owner in owners:
            for node in owner.body:
                if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    continue
                if node.name.startswith(PREFIXES):
                    inside = f"{owner.name}." if isinstance(owner, ast.ClassDef) else ""
                    yield module, f"{inside}{node.name}"


def answers(module: str, name: str) -> list[type]:
    """Give the types that a function may answer with."""
    found: Any = reduce(getattr, name.split("."), importlib.import_module(module))
    function: Any = found.fget if isinstance(found, property) else found
    answer = get_type_hints(function)["return"]
    return list(get_args(answer)) if get_origin(answer) in (Union, types.UnionType) else [answer]


def test_what_asks_a_question_answers_with_a_truth_value(modules: dict[str, ast.Module]) -> None:
    found = list(questions(modules))
    assert ("memlab.dream.lock", "ConsolidationLock.try_acquire") in found
    for module, name in found:
        for answer in answers(module, name):
            assert answer is bool or "__bool__" in vars(answer), f"{module}.{name} gives {answer}"


def test_no_function_that_returns_findings_is_named_check(modules: dict[str, ast.Module]) -> None:
    for module, top in modules.items():
        for node in ast.walk(top):
            if not isinstance(node, ast.FunctionDef) or node.returns is None:
                continue
            answer = ast.unparse(node.returns)
            findings = "Finding" in answer or answer.startswith(("list[", "tuple[", "Iterator["))
            assert not (node.name.startswith("check_") and findings), f"{module}: {node.name}"


def test_a_command_that_writes_does_not_pass_an_if() -> None:
    assert not is_read_only_command("rm -rf /")
    assert is_read_only_command("ls -l | wc -l")


def test_one_of_four_who_try_takes_the_lock(tmp_path: Path) -> None:
    locks = [ConsolidationLock(tmp_path, alive=lambda pid: True) for _ in range(4)]
    winners = [lock for lock in locks if lock.try_acquire()]
    assert winners == locks[:1]


def test_every_verdict_that_says_no_is_falsy() -> None:
    shut, open_ = GateVerdict("time", False, "too early"), GateVerdict("toggles", True, "")
    for no in (
        Decision(False, "no"),
        shut,
        GateReport((open_, shut)),
    ):
        assert not no
    for yes in (Decision(True), open_, GateReport((open_,))):
        assert yes
