"""The judge of ordinary sentences: what it counts as correct, wrong and overwritten."""

from __future__ import annotations

from typing import Any

import pytest

from memlab.evals.sentences import Figures, compare, load_cases, main

OLD = "---\nname: Old\ndescription: d\ntype: feedback\n---\nOld body.\n"
TABS = "---\nname: Tabs\ndescription: code\ntype: user\n---\nI like TABS by 2026-05-15.\n"
WISH = {"type": "user | feedback", "must_contain": ["tabs | spaces"], "date": "2026-05-15"}


@pytest.mark.parametrize(
    ("case", "before", "after", "counts"),
    [
        ({"save": [WISH]}, {}, {"a.md": TABS}, (1, 0, 0)),
        ({"save": [WISH, WISH]}, {}, {"a.md": TABS}, (0, 0, 0)),
        (
            {"save": [WISH]},
            {},
            {"a.md": TABS.replace("TABS", "tea").replace("Tabs", "Tea")},
            (0, 1, 0),
        ),
        ({"save": [WISH]}, {}, {"a.md": TABS.replace("user", "project")}, (0, 1, 0)),
        ({"save": [WISH]}, {}, {"a.md": TABS.replace("-15", "-16")}, (0, 1, 0)),
        ({"save": [WISH], "never": ["I like"]}, {}, {"a.md": TABS}, (1, 1, 0)),
        ({"nothing": True}, {"o.md": OLD}, {"o.md": OLD, "a.md": TABS}, (0, 1, 0)),
        ({"nothing": True}, {"o.md": OLD}, {"o.md": TABS}, (0, 1, 1)),
        ({"nothing": True}, {"o.md": OLD}, {}, (0, 0, 1)),
        ({"nothing": True, "removed": ["o.md"]}, {"o.md": OLD}, {}, (0, 0, 0)),
        ({"save": [WISH], "corrects": "o.md"}, {"o.md": OLD}, {"o.md": TABS}, (1, 0, 0)),
        ({"nothing": True, "never": ["4821"]}, {}, {"MEMORY.md": "4821"}, (0, 1, 0)),
    ],
)
def test_every_count_has_its_cause(
    case: dict[str, Any],
    before: dict[str, str],
    after: dict[str, str],
    counts: tuple[int, int, int],
) -> None:
    row = Figures("work", (compare(case, before, after),)).row
    assert (row["saved correctly"], row["saved wrongly"], row["overwritten"]) == counts


def test_the_halves_have_60_cases_and_the_command_measures_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [len(load_cases(half)) for half in ("work", "final")] == [60, 60]
    few = load_cases("work")[:2]
    monkeypatch.setattr("memlab.evals.sentences.load_cases", lambda half: few)
    assert main(["--mistakes"]) == 0
    assert "| work | 2 | 2 |" in capsys.readouterr().out
