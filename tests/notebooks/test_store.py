"""Storing outputs: what is written, and what is left alone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from memlab.cli import store as stored
from tests.notebooks import store


def write_notebook(path: Path, sources: Sequence[str], **metadata: Any) -> Path:
    cells: list[dict[str, Any]] = [
        {"cell_type": "code", "source": text, "metadata": {}, "outputs": []} for text in sources
    ]
    cells.insert(0, {"cell_type": "markdown", "source": "# A title", "metadata": {}})
    path.write_text(json.dumps({"cells": cells, "metadata": metadata}), encoding="utf-8")
    return path


def code_cells(path: Path) -> list[dict[str, Any]]:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


@pytest.mark.slow
def test_outputs_and_counts_are_stored_under_fixed_conditions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a key of mine")
    monkeypatch.setenv("MEMLAB_MODEL", "live")
    monkeypatch.setenv("MEMLAB_COURSE_HOME", "a home of mine")
    path = write_notebook(
        tmp_path / "00_sample.ipynb",
        [
            "import os\nfrom pathlib import Path",
            "print(os.environ['PYTHONHASHSEED'], Path.cwd().name)",
            "[os.environ.get(name) for name in ('ANTHROPIC_API_KEY', 'MEMLAB_MODEL')]",
            "list(Path(os.environ['MEMLAB_COURSE_HOME']).iterdir())",
            "import ipywidgets\nipywidgets.Label('a widget')",
            "await __import__('asyncio').sleep(0)",
        ],
        language_info={"name": "python", "version": "3.99"},
        vscode={"seen": True},
    )
    assert asyncio.run(store.store(path)).cells == 6
    cells = code_cells(path)
    assert [cell["execution_count"] for cell in cells] == [1, 2, 3, 4, 5, 6]
    assert cells[1]["outputs"][0]["text"] == [f"0 {tmp_path.name}\n"]
    assert cells[2]["outputs"][0]["data"]["text/plain"] == ["[None, None]"]
    assert cells[2]["outputs"][0]["execution_count"] == 3
    assert cells[3]["outputs"][0]["data"]["text/plain"] == ["[]"]
    assert cells[4]["outputs"][0]["data"] == {"text/plain": ["Label(value='a widget')"]}
    assert json.loads(path.read_text())["metadata"] == store.METADATA

    first = path.read_bytes()
    asyncio.run(store.store(path))
    assert path.read_bytes() == first
    assert first.endswith(b"}\n")


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A small project: one notebook uses a module, one reads data in a child process."""
    for folder in ("notebooks", "data", "memlab/prompts"):
        (tmp_path / folder).mkdir(parents=True)
    for name, text in {
        "memlab/__init__.py": "",
        "memlab/used.py": "import pathlib\nTEXT = pathlib.Path(__file__).parent / 'prompts/a.md'",
        "memlab/unused.py": "",
        "memlab/prompts/a.md": "a prompt",
        "requirements.lock": "package==1",
        "data/a.txt": "a",
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    child = "open('../data/a.txt').read(); import os; os._exit(0)"
    for name, sources in {
        "00_module.ipynb": ["from memlab.used import TEXT\nprint(TEXT.read_text())"],
        "01_data.ipynb": [
            f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {child!r}])",
            "import os\nos.listdir('../data')",
        ],
        "02_nothing.ipynb": ["open('written.txt', 'w').write('x')"],
    }.items():
        write_notebook(tmp_path / "notebooks" / name, sources)
    return tmp_path


def out_of_date(root: Path) -> dict[str, list[str]]:
    record = stored.read_record(root)
    found = {
        path.name[:2]: stored.changes_since_stored(root, path, record)
        for path in stored.notebooks(root)
    }
    return {number: reasons for number, reasons in found.items() if reasons}


@pytest.mark.slow
def test_a_change_makes_exactly_those_notebooks_stale_that_read_the_file(course: Path) -> None:
    assert set(out_of_date(course)) == {"00", "01", "02"}
    assert store.main([], root=course) == 0
    assert out_of_date(course) == {}

    for name, numbers in {
        "memlab/used.py": ["00"],
        "memlab/prompts/a.md": ["00"],
        "data/a.txt": ["01"],
        "memlab/unused.py": [],
        "notebooks/written.txt": [],
        "requirements.lock": ["00", "01", "02"],
    }.items():
        before = (course / name).read_bytes()
        (course / name).write_bytes(before + b" ")
        assert out_of_date(course) == {number: [f"{name} changed"] for number in numbers}
        (course / name).write_bytes(before)

    (course / "data" / "new.txt").touch()
    assert out_of_date(course) == {"01": ["data/ changed"]}
    (course / "data" / "a.txt").unlink()
    assert out_of_date(course) == {"01": ["data/ changed", "data/a.txt is gone"]}
    write_notebook(course / "notebooks" / "02_nothing.ipynb", ["print(2)"])
    (course / "notebooks" / "01_data.ipynb").unlink()
    assert out_of_date(course) == {"02": ["the notebook itself changed"]}

    assert store.main(["2"], root=course) == 0
    assert out_of_date(course) == {}
    assert "data/a.txt" not in (course / stored.RECORD).read_text()


def test_a_record_that_a_merge_left_unreadable_makes_every_notebook_stale(course: Path) -> None:
    (course / stored.RECORD).write_text(f"{'0' * 16}  00 01 02  data/a.txt\n<<<<<<< ours\n")
    reason = "there is no record of how it was stored"
    assert out_of_date(course) == {"00": [reason], "01": [reason], "02": [reason]}


@pytest.mark.slow
def test_a_notebook_that_fails_keeps_its_file_and_the_others_are_stored(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_notebook(course / "notebooks" / "01_data.ipynb", ["1 + 1", "1 / 0", "print(3)"])
    before = path.read_bytes()
    assert store.main([], root=course) == 1
    said = capsys.readouterr().out
    assert "FAILED, the file is unchanged\ncell 3 (code cell 2)" in said
    assert "ZeroDivisionError: division by zero" in said
    assert said.endswith("failed: 01_data\n")
    assert path.read_bytes() == before
    assert list(out_of_date(course)) == ["01"]
    assert code_cells(course / "notebooks" / "00_module.ipynb")[0]["outputs"]


def test_ids_stay_and_missing_or_double_ones_follow_from_the_text(tmp_path: Path) -> None:
    path = write_notebook(tmp_path / "00_ids.ipynb", ["a", "a", "b", "c"])
    raw = json.loads(path.read_text())
    raw["cells"][3]["id"] = raw["cells"][4]["id"] = "mine"
    path.write_text(json.dumps(raw))
    ids = [cell.id for cell in store.read(path).cells]
    assert ids[3] == "mine"
    assert len(set(ids)) == len(ids) == 5
    assert [cell.id for cell in store.read(path).cells] == ids


def test_a_number_picks_its_notebook_and_a_wrong_one_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("00_start.ipynb", "03_scan.ipynb", "draft.ipynb"):
        (tmp_path / name).touch()
    assert [p.name for p in store.find_notebooks(["3"], tmp_path)] == ["03_scan.ipynb"]
    assert len(store.find_notebooks([], tmp_path)) == 2
    with pytest.raises(LookupError, match="99"):
        store.find_notebooks(["99"], tmp_path)
    with pytest.raises(SystemExit):
        store.main(["99"])
    assert "no notebook has the number 99" in capsys.readouterr().err


def test_no_notebook_was_edited_after_it_was_stored() -> None:
    record = stored.read_record(store.ROOT)
    edited = []
    for path in stored.notebooks(store.ROOT):
        name = path.relative_to(store.ROOT).as_posix()
        if record.get(path.name[:2], {}).get(name) != stored.digest(store.ROOT, name):
            edited.append(path.name[:2])
    assert not edited, f"run: python3 -m memlab store {' '.join(edited)}"
