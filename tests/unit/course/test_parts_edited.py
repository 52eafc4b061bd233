"""``my/memory.py`` after somebody has edited it by hand: what ``begin`` says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memlab.course import check, data_files, parts_file
from memlab.course.my_parts import My
from memlab.course.my_parts import my as the_courses_my
from memlab.course.parts_file import (
    PartsFile,
    Section,
    problem_in_fresh_process,
    read_parts_file,
    write_parts_file,
)

SOLUTIONS = data_files.CLONE / "data" / "exercises"
FOOLING, EVIDENCE = "missed_text", "contains_evidence"
FOOLING_CODE = """\
def helper(evidence):
    return evidence


def missed_text(evidence):
    return "_" + helper(evidence) + "_"
"""


@pytest.fixture
def file(homes: Path) -> Path:
    """A file with two parts that have passed."""
    evidence = (SOLUTIONS / "00" / EVIDENCE / "solution.py").read_text(encoding="utf-8")
    parts = PartsFile()
    for name, code in ((EVIDENCE, evidence), (FOOLING, FOOLING_CODE)):
        parts = parts.with_section(Section(name, 0, code).marked())
    write_parts_file(homes / "memory.py", parts)
    return homes / "memory.py"


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def line_of(path: Path, text: str) -> int:
    lines = path.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def test_what_nobody_edited_needs_no_word(file: Path) -> None:
    my = My()
    assert my.load() == []
    assert my.active == ("contains_evidence", "missed_text")


@pytest.mark.parametrize("name", [FOOLING, EVIDENCE])
def test_a_part_whose_heading_is_gone_is_named(file: Path, name: str) -> None:
    heading = next(one.heading for one in read_parts_file(file).sections if one.name == name)
    edit(file, heading, "")
    my = My()
    (said,) = my.load()
    assert said == (
        f"memory.py, line {line_of(file, f'def {name}')}: {name} has no heading, so memlab's"
        f" version of it is used. Run check({name}) again in notebook 00"
    )
    assert len(my.active) == 1


def test_a_helper_with_the_name_of_a_gap_is_no_part_without_a_heading(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("helper", "file_stem"), encoding="utf-8")
    assert My().load() == []


def test_an_endless_loop_in_the_file_is_stopped_and_named(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts_file, "LOAD_SECONDS", 0.05)
    edit(file, "def helper", "while True: pass\ndef helper")
    my = My()
    (said,) = my.load()
    assert said.startswith(
        f"memory.py, line {line_of(file, 'while True')}: it was still running after 0.05 seconds."
    )
    assert my.active == ("contains_evidence",)


def test_parts_that_use_each_other_work_in_the_course_and_in_a_plain_python(
    file: Path, homes: Path
) -> None:
    code = """\
from memlab.course import my


def contains_evidence(text, evidence):
    return my.missed_text(evidence) in text
"""
    for name in (FOOLING, EVIDENCE):
        parts = read_parts_file(file)
        write_parts_file(file, PartsFile(parts.preamble, tuple(reversed(parts.sections))))
        parts = read_parts_file(file).with_section(Section(EVIDENCE, 0, code))
        write_parts_file(file, parts)
        assert the_courses_my.load() == []
        assert the_courses_my.contains_evidence("_tabs_", "tabs"), f"after {name}"
        done = subprocess.run(
            [sys.executable, "-c", "import memory; print(memory.contains_evidence('_a_', 'a'))"],
            cwd=homes,
            env={**os.environ, "PYTHONPATH": str(data_files.CLONE)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.stdout, done.stderr) == ("True\n", "")
    assert problem_in_fresh_process(parts, EVIDENCE, homes) is None
    file.unlink()
    the_courses_my.load()


def test_a_part_that_was_edited_is_checked_again(file: Path) -> None:
    edit(file, 'return "_" + helper(evidence) + "_"', 'return "__" + helper(evidence) + "_"')
    my = My()
    assert my.load() == []
    section = read_parts_file(file).get(FOOLING)
    assert section is not None
    assert not section.is_edited, "it passes, so its new fingerprint is written"

    edit(file, 'return "__" + helper(evidence) + "_"', "return helper(evidence)")
    (said,) = my.load()
    line = line_of(file, "def helper")
    assert said == (
        f"memory.py, line {line}: missed_text was edited after it passed, and does not pass"
        " any more. check(my.missed_text) says why"
    )
    assert my.missed_text("tabs") == "tabs", "it is the learner's, so it is used"
    assert my.calls()["missed_text"] == 1, "calls by the check do not count"


@pytest.mark.parametrize("name", ["is_memory_file", "manifest_line"])
def test_a_check_expects_memlabs_answer_even_while_a_wrong_part_is_in_the_machine(
    homes: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    code = (SOLUTIONS / "03" / name / "solution.py").read_text(encoding="utf-8")
    good = PartsFile().with_section(Section(name, 3, code).marked())
    path = homes / "memory.py"
    write_parts_file(path, good)
    edit(
        path,
        "return parts[-1].endswith" if name == "is_memory_file" else 'return f"- ',
        "return 7  # ",
    )
    try:
        (said,) = the_courses_my.load()
        assert f"check(my.{name}) says why" in said
        the_courses_my.install({})
        check(getattr(the_courses_my, name))
        assert "✗ not yet" in capsys.readouterr().out
        assert the_courses_my.calls()[name] == 0, "calls by the check do not count"
    finally:
        path.unlink()
        the_courses_my.load()
        the_courses_my.install({})


def test_a_check_of_one_part_does_not_count_the_calls_of_another(homes: Path) -> None:
    path = homes / "memory.py"
    parts = PartsFile()
    for name in ("is_memory_file", "why_unseen"):
        code = (SOLUTIONS / "03" / name / "solution.py").read_text(encoding="utf-8")
        parts = parts.with_section(Section(name, 3, code).marked())
    write_parts_file(path, parts)
    try:
        assert the_courses_my.load() == []
        the_courses_my.install({})
        check(the_courses_my.why_unseen)
        assert the_courses_my.calls() == {}
    finally:
        path.unlink()
        the_courses_my.load()
        the_courses_my.install({})
