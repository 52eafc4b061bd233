"""What goes into the browser edition, and what ``lite`` refuses; the build itself is tested in
tests/browser/test_lite.py.
"""

from __future__ import annotations

import json
import re
import zipfile
from argparse import Namespace
from pathlib import Path

import pytest

from memlab.cli.lite import command, contents
from memlab.cli.setup.clone import find_clone
from memlab.cli.setup.console import Problem

LOCK = """\
# a comment
one==1.0 ; sys_platform != 'emscripten' \\
    --hash=sha256:aa \\
    --hash=sha256:bb
two-parts==2 \\
    --hash=sha256:cc
"""


def stored(name: str) -> dict[str, dict[str, object]]:
    text = (find_clone().notebooks / f"{name}.ipynb").read_text(encoding="utf-8")
    return {cell["id"]: cell for cell in json.loads(text)["cells"]}


@pytest.mark.parametrize("name", contents.NOTEBOOKS)
def test_the_list_names_notebooks_and_cells_that_exist(name: str) -> None:
    assert contents.NOTEBOOKS[name].keys() <= stored(name).keys()


def test_a_cell_that_cannot_run_shows_its_stored_output_and_its_code(tmp_path: Path) -> None:
    contents.write_notebooks(find_clone().notebooks, tmp_path / "files")
    written = json.loads((tmp_path / "files/01_memory_files.ipynb").read_text(encoding="utf-8"))
    cells = {cell["id"]: cell for cell in written["cells"]}
    text = cells["cell-74"]["source"]
    assert cells["cell-74"]["cell_type"] == "markdown"
    assert "after opening: memory False, index False" in text
    assert "crash_while_writing(" in text
    assert "MemoryStore" in cells["cell-72-names"]["source"]
    assert "crash_while_writing(lab" not in cells["cell-72-names"]["source"]
    assert "no second process" in written["cells"][0]["source"]
    assert "download_work()" in written["cells"][-1]["source"]
    assert [cell["outputs"] for cell in written["cells"] if cell.get("outputs")] == []


def test_every_link_between_the_files_of_the_edition_leads_somewhere(tmp_path: Path) -> None:
    contents.write_notebooks(find_clone().notebooks, tmp_path)
    first = json.loads((tmp_path / "00_start_here.ipynb").read_text("utf-8"))
    texts = [cell["source"] for cell in first["cells"] if cell["cell_type"] == "markdown"]
    assert any("](01_memory_files.ipynb)" in text for text in texts)
    for name in contents.NOTEBOOKS:
        for cell in json.loads((tmp_path / f"{name}.ipynb").read_text("utf-8"))["cells"]:
            if cell["cell_type"] == "markdown":
                for target in re.findall(r"\]\((\w+\.ipynb|stuck\.md)\)", cell["source"]):
                    assert (tmp_path / target).is_file(), target
    assert (tmp_path / "stuck.md").is_file()


def test_pictures_are_ascii_because_jupyterlite_shows_no_others(tmp_path: Path) -> None:
    contents.write_notebooks(find_clone().notebooks, tmp_path / "files")
    for picture in (tmp_path / "files/images").glob("*.svg"):
        assert picture.read_bytes().isascii(), picture.name


def test_the_wheel_has_the_package_its_data_and_nothing_of_the_learner(tmp_path: Path) -> None:
    contents.write_course_wheel(find_clone().root, tmp_path)
    (wheel,) = tmp_path.iterdir()
    names = zipfile.ZipFile(wheel).namelist()
    assert "course/memlab/course/lab.py" in names
    assert "course/data/example/mtimes.json" in names
    assert "course/notebooks/02_the_index.ipynb" in names
    assert [name for name in names if "/my/" in name or "__pycache__" in name] == []


def test_locked_packages_keep_their_hashes_and_lose_their_conditions() -> None:
    assert command.locked(LOCK, ["one", "two-parts"]) == (
        "one==1.0 --hash=sha256:aa --hash=sha256:bb\ntwo-parts==2 --hash=sha256:cc\n"
    )


def test_a_package_that_is_not_locked_is_named() -> None:
    with pytest.raises(Problem, match="has no three"):
        command.locked(LOCK, ["one", "three"])


def test_every_package_is_locked() -> None:
    locks = find_clone().locks
    course = (locks / "course.txt").read_text(encoding="utf-8")
    assert command.locked(course, command.PACKAGES + command.FROM_ANY_SYSTEM)
    browser = (locks / "lite-browser.txt").read_text(encoding="utf-8")
    assert command.locked(browser, ["micropip"])


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(Problem, match="contains other files"):
        command.run(find_clone(), Namespace(folder=tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_file_in_the_place_of_the_folder_is_left_alone(tmp_path: Path) -> None:
    taken = tmp_path / "lite"
    taken.write_text("mine", encoding="utf-8")
    with pytest.raises(Problem, match="is a file"):
        command.run(find_clone(), Namespace(folder=taken))


def test_without_npm_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(Problem, match=r"npm is not on the PATH\. Install"):
        command.run(find_clone(), Namespace(folder=tmp_path / "lite"))


def test_an_older_build_is_replaced_and_only_by_a_complete_one(tmp_path: Path) -> None:
    site, folder = tmp_path / "site", tmp_path / "lite"
    for made in (site, folder):
        made.mkdir()
        (made / command.MARKER).touch()
    (folder / "old").touch()
    (site / "new").touch()
    command._check_ours(folder)
    command._replace(folder, site)
    assert sorted(path.name for path in folder.iterdir()) == [command.MARKER, "new"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lite", "site"]
