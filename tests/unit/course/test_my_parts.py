"""The learner's parts at the level of a person: cells in a fresh IPython, and commands.

Each scene runs in a process of its own, so that a "restart" is one.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memlab.course.parts_file import (
    PartsFile,
    Section,
    load_parts,
    read_parts_file,
    write_parts_file,
)

ROOT = Path(__file__).resolve().parents[3]

RUN_CELLS = """
import json, sys
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

shell = InteractiveShell.instance(history_length=0)
shell.history_manager.enabled = False
for cell in json.loads(sys.stdin.read()):
    with capture_output() as out:
        result = shell.run_cell(cell, store_history=False)
    error = result.error_in_exec or result.error_before_exec
    text = out.stdout + "".join(f"{each.data['text/plain']}\\n" for each in out.outputs)
    print(json.dumps(text + (repr(error) if error else "")), file=sys.__stdout__)
"""


def environment(home: Path) -> dict[str, str]:
    return {
        **os.environ,
        "MEMLAB_COURSE_HOME": str(home),
        "IPYTHONDIR": str(home / "ipython"),
        "PYTHONPATH": str(ROOT),
    }


def kernel(home: Path, *cells: str) -> list[str]:
    """Run cells in a fresh process; gives what each one printed, or its error."""
    done = subprocess.run(
        [sys.executable, "-c", RUN_CELLS],
        input=json.dumps(cells),
        env=environment(home),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def command(home: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "memlab", *words],
        env=environment(home),
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


BEGIN = "from memlab.course import begin\nlab = begin(4)"

RANK = '''
from memlab.text import STOP_WORDS as little
from memlab.text import stem

WORD = r"[a-z0-9]+"


def stems(text):
    """Cut the endings."""
    return {stem(word) for word in words_in(text) if word not in little}
'''

HELPER = """
import re


def words_in(text):
    return re.findall(WORD, text.lower())
"""

MINE = """
import math


def keyword_rank(query, headers, limit):
    held = [stems(f"{h.name} {h.description}") for h in headers]
    def weight(term):
        count = sum(term in each for each in held)
        return math.log(1 + (len(held) - count + 0.5) / (count + 0.5))
    def score(number):
        return sum(weight(term) for term in sorted(stems(query) & held[number]))
    scores = {number: score(number) for number in range(len(headers))}
    found = [number for number in scores if scores[number] > 0]
    found.sort(key=lambda n: (-scores[n], -headers[n].mtime.timestamp(), headers[n].filename))
    return [headers[number] for number in found[:limit]]

check(keyword_rank)
"""

MISSED = """
def missed_text(evidence):
    return '_' + evidence + '_'

check(missed_text)
"""

RECALL = """
from memlab.recall import Surfaced, recall
report = await recall("How are the tests run?", lab.memory, lab.runtime, surfaced=Surfaced())
print(report.selection.fallback[0].filename)
print(my.counts())
"""


@pytest.fixture(scope="module")
def first_session(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A session in which the ranking passes, and another exercise: the home, and the output."""
    home = tmp_path_factory.mktemp("first")
    return home, kernel(home, BEGIN, RANK, HELPER, MINE, RECALL, MISSED)


@pytest.fixture
def passed(first_session: tuple[Path, list[str]], tmp_path: Path) -> Path:
    """A home with the file that the first session left."""
    shutil.copy(first_session[0] / "memory.py", tmp_path)
    return tmp_path


@pytest.mark.slow
def test_a_part_that_passed_is_called_by_the_machine_after_a_restart(
    first_session: tuple[Path, list[str]], passed: Path
) -> None:
    before = first_session[1]
    assert "Your parts" not in before[0]
    assert before[3].startswith("✓ pass  keyword_rank (")
    assert "recall calls your keyword_rank." in " ".join(before[3].split())
    file = (passed / "memory.py").read_text(encoding="utf-8")
    assert file.startswith("# memlab parts, version 1\n")
    for needed in (
        "import math",
        "import re",
        "from memlab.text import STOP_WORDS as little",
        "WORD = ",
        "def words_in",
        '"""Cut the endings."""',
    ):
        assert file.count(needed) == 1, needed
    assert "check(" not in file.partition("# ---- ")[2]

    line, recalled = kernel(passed, BEGIN, RECALL)
    assert "Your parts: 2 of" in line
    assert "progress()" in line
    assert recalled.splitlines()[0] == before[4].splitlines()[0] == "running-the-tests.md"
    assert ["keyword_rank", "passed", "1"] in [line.split() for line in recalled.splitlines()]


@pytest.mark.slow
def test_a_part_switched_off_is_not_called(passed: Path) -> None:
    where = (
        "from memlab.recall import pipeline\nprint(pipeline.select_relevant_memories.__module__)"
    )
    _, before, off, after, recalled, on = kernel(
        passed,
        BEGIN,
        where,
        "my.off('keyword_rank')",
        where,
        RECALL,
        "my.on('keyword_rank')",
    )
    assert [before, after] == ["memlab.course.seams\n", "memlab.recall.selection\n"]
    assert off == "keyword_rank is off: the machine uses its own\n"
    assert ["keyword_rank", "off", "0"] in [line.split() for line in recalled.splitlines()]
    assert on == "keyword_rank is on: the machine uses yours\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cells", "missing"),
    [
        (
            [
                "async def ask():\n    return 'tabs'\nword = await ask()",
                "def missed_text(evidence):\n"
                "    assert word\n    return '_' + evidence + '_'\ncheck(missed_text)",
            ],
            "it needs word",
        ),
        (
            [
                "def missed_text(evidence):\n"
                "    lab.number\n    return '_' + evidence + '_'\ncheck(missed_text)"
            ],
            "it needs lab",
        ),
        (
            [
                "from math import *",
                "for letter in '_': pass",
                "def missed_text(evidence):\n"
                "    return letter + evidence + letter * int(ceil(0.5))\ncheck(missed_text)",
            ],
            "it needs letter",
        ),
    ],
)
def test_what_cannot_be_saved_is_named_and_nothing_is_said_to_pass(
    tmp_path: Path, cells: list[str], missing: str
) -> None:
    text = kernel(tmp_path, BEGIN, *cells)[-1]
    assert text.startswith("✗ not yet  missed_text (9 cases) is right, but it does not count")
    assert missing in " ".join(text.split())
    assert not (tmp_path / "memory.py").exists()


@pytest.mark.slow
def test_a_broken_file_is_reported_with_its_line_and_stops_nothing(passed: Path) -> None:
    file = passed / "memory.py"
    lines = file.read_text(encoding="utf-8").splitlines()
    broken = next(n for n, line in enumerate(lines, 1) if "def keyword_rank" in line)
    lines[broken - 1] = "def keyword_rank(query, headers"
    file.write_text("\n".join(lines), encoding="utf-8")
    shown, recalled, fooled, listed = kernel(
        passed, BEGIN, RECALL, "print(my.missed_text('tabs'))", "print(progress())"
    )
    assert f"memory.py, line {broken}: this is not Python" in shown
    assert shown.count("\n") == 4
    assert recalled.startswith("running-the-tests.md")
    assert fooled == "_tabs_\n"
    states = {row.split()[1]: row.split()[2] for row in listed.splitlines()[2:]}
    assert states["keyword_rank"] == "broken"
    assert states["missed_text"] == "passed"
    assert states["bill"] == "todo"


@pytest.mark.slow
def test_a_file_of_another_version_is_set_aside_with_a_message(tmp_path: Path) -> None:
    (tmp_path / "memory.py").write_text("def my_old(): ...\n", encoding="utf-8")
    (shown,) = kernel(tmp_path, BEGIN)
    assert "It is kept as memory.older-1.py" in shown
    assert (tmp_path / "memory.older-1.py").read_text(encoding="utf-8") == "def my_old(): ...\n"
    assert "kept as" not in kernel(tmp_path, BEGIN)[0]


def test_names_of_the_course_come_without_import_and_survive_a_cell(tmp_path: Path) -> None:
    _, overwritten, still, imported = kernel(
        tmp_path,
        BEGIN,
        "check = 3\nanswer = hint = check",
        "print(check.__name__, hint.__name__, solution.__name__, answer.__name__)",
        "from memlab.course import check",
    )
    assert overwritten.count("belongs to the course") == 3
    assert still == "check hint solution answer\n"
    assert imported == ""


@pytest.mark.slow
def test_an_exception_in_a_part_is_shown_once_with_its_line(passed: Path) -> None:
    file = passed / "memory.py"
    text = file.read_text(encoding="utf-8").replace(
        "    held = [", "    if query.startswith('How'): query / 0\n    held = ["
    )
    file.write_text(text, encoding="utf-8")
    line = next(n for n, one in enumerate(text.splitlines(), 1) if "query / 0" in one)
    _, shown, again = kernel(passed, BEGIN, RECALL, RECALL)
    assert "your keyword_rank raised TypeError: unsupported operand" in shown
    assert f"memory.py, line {line}: if query.startswith('How'): query / 0" in shown
    assert "your keyword_rank raised" not in again
    frames = re.sub(r"\x1b\[[0-9;]*m", "", shown).partition("Traceback")[2]
    assert "await recall(" in frames, "the learner's cell"
    assert "query / 0" in frames, "the learner's part"
    assert "memlab/" not in frames


def test_a_mistake_in_begin_is_shown_as_one_line(tmp_path: Path) -> None:
    (shown,) = kernel(tmp_path, "from memlab.course import begin\nbegin(77)")
    first, _ = shown.split("\n", 1)
    assert first.startswith("begin(): there is no notebook with the number 77. Give a number from")
    assert "Traceback" not in shown


def test_a_starter_is_todo_whatever_it_returns(tmp_path: Path) -> None:
    starter = (ROOT / "data/exercises/00/missed_text/starter.py").read_text(encoding="utf-8")
    assert kernel(tmp_path, BEGIN, starter + "\ncheck(missed_text)")[-1] == (
        '○ todo  missed_text is not written yet · hint("missed_text") · solution("missed_text")\n'
    )


@pytest.mark.slow
def test_the_starter_of_a_part_that_has_passed_says_which_version_is_used(passed: Path) -> None:
    starter = (ROOT / "data/exercises/00/missed_text/starter.py").read_text(encoding="utf-8")
    _, todo, used = kernel(
        passed, BEGIN, f"{starter}\ncheck(missed_text)", "print(my.missed_text('tabs'))"
    )
    assert "not written yet: until it passes, the one in memory.py is used ·" in todo
    assert used == "_tabs_\n"


def test_my_gives_the_solution_until_the_learners_function_has_passed(tmp_path: Path) -> None:
    mine = "def missed_text(evidence):\n    return f'__{evidence}__'\n"
    _, ours, fails, still, passes, now = kernel(
        tmp_path,
        BEGIN,
        "print(my.missed_text('tabs'))",
        "def missed_text(evidence): return evidence\ncheck(missed_text)",
        "print(my.missed_text('tabs'))",
        f"{mine}check(missed_text)",
        "print(my.missed_text('tabs'), my.missed_text('it'))",
    )
    assert ours == still != "tabs\n"
    assert fails.startswith("✗ not yet  ")
    assert passes.startswith("✓ pass  ")
    assert now == "__tabs__ __it__\n"


@pytest.mark.slow
def test_start_fills_in_what_is_missing_and_keeps_the_rest(passed: Path) -> None:
    before = (passed / "memory.py").read_text(encoding="utf-8")
    said = command(passed, "start", "02")
    found = re.search(
        r"for (\d+) parts of earlier notebooks: add_memory, contains_evidence, .*", said
    )
    assert found
    assert "parse_header" in found[0]
    filled = int(found[1])
    assert "memory.previous-1.py" in said
    assert (passed / "memory.previous-1.py").read_text(encoding="utf-8") == before
    listed = command(passed, "progress")
    states = {row.split()[1]: row.split()[2] for row in listed.splitlines()[2:-2]}
    assert states["missed_text"] == "passed"
    assert states["parse_header"] == states["contains_evidence"] == "ours"
    assert states["keyword_rank"] == "passed"
    assert states["truncate_index"] == "todo"
    assert listed.splitlines()[-1].startswith("2 of ")
    assert "Nothing to fill in" in command(passed, "start", "2")
    (line,) = kernel(passed, BEGIN)
    assert "Your parts: 2 of" in line
    assert f"(and {filled} of ours)" in line

    solution = (ROOT / "data/exercises/01/parse_header/solution.py").read_text(encoding="utf-8")
    _, passes, line = kernel(passed, BEGIN, f"{solution}\ncheck(parse_header)", "lab = begin(1)")
    assert "the scan calls your parse_header" in " ".join(passes.split())
    assert "Your parts: 3 of" in line
    assert f"(and {filled - 1} of ours)" in line


def test_a_file_without_parts_is_one(tmp_path: Path) -> None:
    path = tmp_path / "memory.py"
    write_parts_file(path, PartsFile())
    assert read_parts_file(path).sections == ()


@pytest.mark.slow
def test_two_parts_may_have_helpers_of_one_name_and_see_each_other(tmp_path: Path) -> None:
    parts = PartsFile()
    for name, code in {
        "one": "LIMIT = 1\ndef helper(): return LIMIT\ndef one(): return helper()",
        "two": "LIMIT = 2\ndef helper(): return LIMIT\ndef two(): return helper() + one()",
        "ends": "raise SystemExit('no')",
    }.items():
        parts = parts.with_section(Section(name, 4, code))
    write_parts_file(tmp_path / "memory.py", parts)
    again = read_parts_file(tmp_path / "memory.py")
    assert again.text == parts.text
    found, problems = load_parts(again, tmp_path / "memory.py")
    assert (found["one"](), found["two"]()) == (1, 3)
    (problem,) = problems
    assert (problem.name, problem.what) == ("ends", "SystemExit: no")
    lines = (tmp_path / "memory.py").read_text(encoding="utf-8").splitlines()
    assert lines[problem.line - 1] == "raise SystemExit('no')"
