"""The comparison of outputs, held to nbval's own verdicts."""

from __future__ import annotations

import copy
import itertools
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
from nbval import plugin

from tests.notebooks.compare import SANITISE, first_difference, read_replacements
from tests.notebooks.samples import shown, stream

Out = dict[str, Any]


CASES: dict[str, list[Out]] = {
    "nothing": [],
    "a line": [stream("one\n")],
    "another line": [stream("two\n")],
    "a line in two parts": [stream("on"), stream("e\n")],
    "a line on stderr": [stream("one\n", "stderr")],
    "both streams": [stream("one\n"), stream("two\n", "stderr")],
    "both streams, mixed": [stream("two\n", "stderr"), stream("one\n")],
    "a line written over": [stream("zero\rone\n")],
    "a value": [shown("execute_result", text_plain="7")],
    "the same text shown": [shown(text_plain="7")],
    "another value": [shown(text_plain="8")],
    "two values": [shown(text_plain="7"), shown(text_plain="8")],
    "two values, turned round": [shown(text_plain="8"), shown(text_plain="7")],
    "a table": [shown(text_plain="<T>", text_html="<b>7</b>")],
    "another table": [shown(text_plain="<T>", text_html="<b>8</b>")],
    "prose": [shown(text_plain="<M>", text_markdown="*7*")],
    "a picture": [shown(text_plain="<Figure>", image_png="aGVsbG8=")],
    "another picture": [shown(text_plain="<Figure>", image_png="d29ybGQ=")],
    "a drawing": [{**shown(text_plain="<S>"), "data": {"image/svg+xml": "<svg>1</svg>"}}],
    "another drawing": [{**shown(text_plain="<S>"), "data": {"image/svg+xml": "<svg>2</svg>"}}],
    "a value between lines": [stream("one\n"), shown(text_plain="7"), stream("two\n")],
    "lines, then the value": [stream("one\ntwo\n"), shown(text_plain="7")],
}


class _Cell:
    """As much of nbval's test item as its comparison looks at."""

    def __init__(self) -> None:
        self.colors = plugin.nocolors
        self.config = None
        self.comparison_traceback: list[str] = []
        skipped = "metadata traceback prompt_number output_type name execution_count image/png"
        skipped += " image/jpeg application/vnd.jupyter.widget-view+json"
        self.parent = SimpleNamespace(skip_compare=tuple(skipped.split()))
        self.ihook = SimpleNamespace(pytest_assertrepr_compare=lambda **_: [])
        self.format_output_compare = lambda *_: None
        self.sanitize = lambda text: text


def nbval_is_content(stored: list[Out], fresh: list[Out]) -> bool:
    nodes = [
        plugin.coalesce_streams([nbformat.from_dict(one) for one in copy.deepcopy(outputs)])
        for outputs in (fresh, stored)
    ]
    return bool(plugin.IPyNbCell.compare_outputs(_Cell(), *nodes))


def test_the_verdict_is_nbvals() -> None:
    for stored, fresh in itertools.product(CASES, repeat=2):
        verdict = first_difference(CASES[stored], CASES[fresh])
        assert (verdict is None) == nbval_is_content(CASES[stored], CASES[fresh]), (stored, fresh)


def test_the_cases_hold_equal_and_unequal_pairs() -> None:
    pairs = list(itertools.permutations(CASES.values(), 2))
    equal = [pair for pair in pairs if first_difference(*pair) is None]
    assert 0 < len(equal) < len(pairs)


def test_a_difference_is_said_with_the_line_that_changed() -> None:
    said = first_difference([stream("one\ntwo\n")], [stream("one\nthree\n")])
    assert said == "stdout: 'two' became 'three'"
    assert first_difference([], [stream("new\n")]) == "unexpected stdout: 'new'"
    assert first_difference([stream("old\n")], []) == "no stdout came"


def test_a_replacement_hides_what_it_names_and_nothing_else(tmp_path: Path) -> None:
    rules = tmp_path / "sanitise.cfg"
    rules.write_text("a reason\nregex: run \\d+\nreplace: run N\n")
    replacements = read_replacements(rules)
    assert first_difference([stream("run 1\n")], [stream("run 2\n")], replacements) is None
    assert first_difference([stream("ran 1\n")], [stream("ran 2\n")], replacements)


def unexplained(text: str) -> list[str]:
    """Return the rules of a sanitise file that have no comment line of their own before them."""
    lines = [line for line in text.splitlines() if line.strip()]
    return [
        line
        for before, line in zip(["replace:", *lines], lines, strict=False)
        if line.startswith("regex:") and before.startswith(("regex:", "replace:"))
    ]


def test_each_mask_is_read_and_has_a_reason() -> None:
    text = SANITISE.read_text(encoding="utf-8")
    assert re.findall("^regex: (.*)", text, re.MULTILINE) == [old for old, _ in read_replacements()]
    assert unexplained(text) == []


def test_a_mask_without_a_reason_is_found() -> None:
    explained = "why\nregex: a\nreplace: b\n"
    assert unexplained(explained) == []
    assert unexplained(explained + "regex: c\nreplace: d\n") == ["regex: c"]
    assert unexplained("regex: a\nreplace: b\n") == ["regex: a"]
