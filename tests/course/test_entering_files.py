"""The parts of notebooks 01 and 02 in the scan, the store and the index."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memlab.course import parts
from memlab.course.gap import all_gaps
from memlab.memdir import Memory, MemoryType, scan_memory_files
from memlab.memdir.store import MemoryStore

TABS = Memory("Tabs: yes", "how code is typed", MemoryType.user, "Tabs, not spaces.")


@pytest.fixture
def put() -> Iterator[Any]:
    """Install a part; without a function, the right answer."""

    def one(name: str, mine: Any = None) -> None:
        gap = all_gaps()[name]
        parts.install(gap, mine or gap.ours)

    yield one
    parts.remove_all()


def broken(*given: Any) -> Any:
    raise ValueError("oops")


def saved(folder: Path) -> tuple[str, bytes]:
    folder.mkdir(exist_ok=True)
    store = MemoryStore(folder)
    path = store.write(TABS, who="main agent").path
    return path.name, path.read_bytes()


def test_the_scan_uses_the_learners_values(tmp_path: Path, put: Any) -> None:
    saved(tmp_path)
    (tmp_path / "list.md").write_text("---\n- a\n---\n", "utf-8")
    before = scan_memory_files(tmp_path)
    put("parse_header")
    assert scan_memory_files(tmp_path) == before
    assert parts.calls["parse_header"] == 1, "memlab refuses what is no memory"
    other = {"name": "Mine", "description": "d", "type": "project", "body": ""}
    put("parse_header", lambda text: other)
    assert [header.name for header in scan_memory_files(tmp_path)] == ["Mine"]
    put("parse_header", lambda text: dict.fromkeys(other, ""))
    assert scan_memory_files(tmp_path) == before


@pytest.mark.parametrize("name", ["parse_header", "format_header", "file_stem"])
def test_no_memory_is_lost_by_a_part_that_fails(
    name: str, tmp_path: Path, put: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    ours = saved(tmp_path / "a")
    put(name, broken)
    assert saved(tmp_path / "b") == ours
    assert [header.name for header in scan_memory_files(tmp_path / "b")] == ["Tabs: yes"]
    assert f"your {name} raised ValueError: oops" in capsys.readouterr().out


def test_a_new_file_gets_the_learners_header_and_name(tmp_path: Path, put: Any) -> None:
    ours = saved(tmp_path / "a")
    put("format_header")
    put("file_stem")
    assert saved(tmp_path / "b") == ours
    put("format_header", lambda *given: "---\nname: another\n---\n")
    put("file_stem", lambda name, taken: "CON")
    assert saved(tmp_path / "c") == ours
    put(
        "format_header",
        lambda name, about, kind: (
            f"---\n# mine\nname: '{name}'\ndescription: {about}\ntype: {kind}\n---\n"
        ),
    )
    put("file_stem", lambda name, taken: "mine")
    name, data = saved(tmp_path / "d")
    assert name == "mine.md"
    assert data.startswith(b"---\n# mine\nname: 'Tabs: yes'\n")
