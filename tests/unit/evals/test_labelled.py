"""The labelled sets are of the form that their READMEs describe, and large enough."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from memlab.bench.tasks import TASKS
from memlab.evals import attacks
from memlab.evals.labelled import (
    LABELLED,
    Label,
    LabelError,
    load_labels,
    load_ordinary,
    load_recall_set,
    load_secrets,
)

KEYS = {
    "select": "id half directory query recent_tools relevant kind reason tempting? language?",
    "dialogue": "id half kind project at turns reason must must_not existing? claude_md?",
    "poison": "id half where trick project at turns reason must must_not twin_of? existing?"
    " claude_md?",
    "turns": "role text at? tool?",
    "must": "type says date? counted? updates?",
    "existing": "file name description type body",
    "dream": "id half kind project now last_dream memories sessions reason index? index_dead?"
    " logs? must_merge? must_drop? must_keep? settled? must_be_absolute? must_not_say?"
    " index_keeps? untouched? may_go? unchanged?",
    "memories": "file name description type body mtime",
    "sessions": "id messages",
    "messages": "at role text tool?",
    "logs": "file mtime text",
    "must_merge": "files",
    "must_drop": "file says reason",
    "must_keep": "says file?",
    "settled": "files says gone reason",
    "must_be_absolute": "files says date since counted",
    "must_not_say": "says reason",
    "follow": "id half reason memory now message follow complies good bad screen? tools?"
    " wrong_because?",
    "memory": "file name description type modified body",
    "screen": "file text",
    "command": "id command allow family half reason setup? confined? trap? limit? proof? twin?"
    " becomes? trace?",
    "path": "id path allow family half reason setup? proof? after?",
    "team": "id name description body ask wants detect stopped_by",
    "secret": "id half text secret kind",
    "ordinary": "id half text",
    "counted": "words days weekday",
    "index_dead": "count title file hook",
}
"""The keys of each form and of the parts of a case, which are called as their key is; those that
end in ``?`` may be missing.
"""
SETS = {
    "select": TASKS["select"].load,
    "dialogue": lambda: [one for one in TASKS["extract"].load() if "trick" not in one],
    "poison": lambda: (
        *(one for one in TASKS["extract"].load() if "trick" in one),
        *load_labels(LABELLED / "extract" / "poison.yaml"),
    ),
    "dream": TASKS["dream"].load,
    "follow": TASKS["follow"].load,
    "command": attacks.load_shell_cases,
    "path": attacks.load_path_cases,
    "team": attacks.load_team_attacks,
    "secret": load_secrets,
    "ordinary": load_ordinary,
}


def problems(label: Label, form: str) -> list[str]:
    keys = KEYS[form].split()
    found = [f"no {key}" for key in keys if key[-1] != "?" and key not in label]
    found += [f"what is {key}?" for key in label.keys() - {key.rstrip("?") for key in keys}]
    for key, value in label.items():
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, Label) and key in KEYS:
                found += problems(part, key)
    return found


@pytest.mark.parametrize("form", SETS)
def test_every_case_has_the_keys_of_its_form(form: str) -> None:
    cases = SETS[form]()
    assert {case.id: found for case in cases if (found := problems(case, form))} == {}
    assert [name for name, count in Counter(case.id for case in cases).items() if count > 1] == []


def test_a_key_that_is_missing_or_unknown_is_found() -> None:
    turn = Label(role="person", txet="hello")
    assert problems(Label(id="1", half="work", text="x", turns=[turn]), "ordinary") == [
        "what is turns?",
        "no text",
        "what is txet?",
    ]


@pytest.mark.parametrize(
    ("task", "work", "final"),
    [("select", 150, 75), ("extract", 62, 56), ("dream", 12, 9), ("follow", 26, 14)],
)
def test_how_many_cases_a_task_has(task: str, work: int, final: int) -> None:
    cases = TASKS[task]
    assert (len(cases.cases("work")), len(cases.cases("final"))) == (work, final)
    assert len(cases.load()) == work + final


def test_a_memory_that_should_be_chosen_is_in_its_directory() -> None:
    headers = load_recall_set().headers
    for case in TASKS["select"].load():
        names = {header.filename for header in headers[case.directory]}
        assert names.issuperset([*case.relevant, *case.tempting]), case.id
        assert len(case.relevant) <= 5, case.id


@pytest.mark.parametrize("text", [None, "- id: [1\n", "- at: tomorrow\n"])
def test_a_file_that_cannot_be_used_is_named(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "cases.yaml"
    if text is not None:
        path.write_text(text, "utf-8")
    with pytest.raises(LabelError, match=r"cases\.yaml"):
        load_labels(path)
