"""A "no" counts as false, so that ``if is_…(…):`` runs its branch only after a yes."""

from __future__ import annotations

import importlib
import inspect
import types
from pathlib import Path
from typing import Union, get_args, get_origin, get_type_hints

import memlab
from memlab.agent.permissions import Decision
from memlab.agent.shell import is_read_only_command
from memlab.dream import GateReport
from memlab.dream import Verdict as GateVerdict

PACKAGE = Path(memlab.__file__).parent
# search_process is a script, and __main__ acts when it is imported
SCRIPTS = ("search_process", "__main__")


def test_what_asks_a_question_answers_with_a_truth_value() -> None:
    asked = set()
    for path in PACKAGE.rglob("*.py"):
        name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        text = path.read_text("utf-8")
        if path.stem in SCRIPTS or not any(
            f"def {x}" in text for x in ("is_", "may_", "can_", "try_")
        ):
            continue
        module = importlib.import_module(name)
        owners = [module, *(one for _, one in inspect.getmembers(module, inspect.isclass))]
        for owner in [one for one in owners if getattr(one, "__module__", name) == name]:
            for key, found in vars(owner).items():
                function = found.fget if isinstance(found, property) else found
                if not key.startswith(("is_", "may_", "can_", "try_")) or not inspect.isfunction(
                    function
                ):
                    continue
                answer = get_type_hints(function)["return"]
                union = get_origin(answer) in (Union, types.UnionType)
                for one in get_args(answer) if union else [answer]:
                    assert one is bool or "__bool__" in vars(one), f"{name}.{key}"
                asked.add(key)
    assert {"try_acquire", "is_read_only_command", "may_write"} <= asked


def test_every_verdict_that_says_no_is_falsy() -> None:
    shut, open_ = GateVerdict("time", False, "too early"), GateVerdict("toggles", True, "")
    for no in (Decision(False, "no"), shut, GateReport((open_, shut))):
        assert not no
    for yes in (Decision(True), open_, GateReport((open_,)), is_read_only_command("ls | wc")):
        assert yes
    assert not is_read_only_command("rm -rf /")
