"""What a teacher reads who has made a mistake in an exercise or a quiz."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from memlab.course import all_exercises, hint, quiz
from memlab.errors import CourseError
from tests.unit.course.toy import EXERCISE, FILES, QUIZ

pytestmark = pytest.mark.usefixtures("toy")

MISTAKES = [
    # file, old text, new text, what the error begins with, what it says to do
    ("prompt.md", "kind:", "knd:", ":2: there is no key 'knd'", "Correct its spelling"),
    ("prompt.md", "kind: build\n", "", ":1: the key 'kind' is missing", "Add a line 'kind: …'"),
    ("prompt.md", "build", "bild", ":2: kind cannot have this value", "'build', 'break' or 'diag"),
    ("prompt.md", "5", "soon", ":4: minutes: input should be a valid integer", "Correct the value"),
    ("prompt.md", "minutes: 5", "minutes: 5\nstatus: soon", ":5: status cannot", "'' or 'planned'"),
    ("prompt.md", "stars: 1", "stars: 4", ":5: stars: input should be less than", "Correct"),
    ("prompt.md", "stars: 1\n", "", ":1: the key 'stars' is missing", "Add a line 'stars: …'"),
    ("prompt.md", "stars: 1", "stars: 1\nbonus: no", ":6: bonus cannot", "'' or 'yes'"),
    ("prompt.md", "kind: build", "kind: [", ":", "quote a value"),
    ("prompt.md", "---\n\n", "\n", ":1: frontmatter without an end", "Begin with '---'"),
    ("prompt.md", "Sort the row, and give the rest.", "", ": the task is missing", "Write below"),
    ("prompt.md", None, None, ": the file is missing: it contains the task", "Add it"),
    ("starter.py", "-> list:", "-> list", ":1: this is not Python: expected ':'", "Correct it"),
    ("starter.py", "tail", "tale", ": there is no function tail", "Write 'def tail("),
    ("starter.py", None, None, ": the file is missing", "Add it"),
    ("solution.py", "return ", "return )", ":2: this is not Python: unmatched ')'", "Correct it"),
    ("solution.py", None, None, ": the file is missing: it contains one right answer", "Add it"),
    ("hints.md", "## Hint 2", "## Hint two", ": the headings are ['Hint 1', 'Hint two'", "## Hint"),
    ("hints.md", "The second hint.", "", ": the headings are", "Write '## Hint 1'"),
    ("hints.md", None, None, ": the file is missing", "Add it"),
    ("cases.py", "def cases", "def case_list", ": there is no function cases", "Write 'def cases("),
    ("cases.py", "import Case,", "import Kase,", ":3: running it raised ImportError", "Correct it"),
    ("cases.py", "def cases(", "def cases(:", ":6: this is not Python", "Correct it"),
    ("cases.py", None, None, ": the file is missing", "Add it"),
    ("wrong/1.py", "# message", "# the message", ":1: the first line does not say", "# message: "),
    ("wrong/1.py", "def ", "fed ", ":2: this is not Python", "Correct it"),
]


@pytest.mark.parametrize(("name", "old", "new", "what", "do"), MISTAKES)
def test_a_mistake_in_an_exercise(
    toy: Path, name: str, old: str | None, new: str | None, what: str, do: str
) -> None:
    damage(toy / EXERCISE / name, FILES[f"{EXERCISE}/{name}"], old, new)
    place = f"{EXERCISE}/{name}"
    with pytest.raises(CourseError) as raised:
        all_exercises()
    assert str(raised.value).startswith(place + what)
    assert do in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("why: Not so.", "because: Not so.", ":4: there is no key 'because'"),
        ("      why: Not so.\n", "", ":3: the key 'why' is missing"),
        ("why: Not so.", "why: Not so.\n      note: x", ":5: there is no key 'note'"),
        ("right: true\n      why: So", "why: So", ":2: exactly one option needs 'right: true'"),
        ("right: true\n      why: Like", "why: Like", ":10: exactly one option needs 'right"),
        ("why: Not so.", "right: true\n      why: x", ":2: exactly one option needs 'right"),
        ("why: Not so.", "why: Not: so.", ":4: this is not YAML: mapping values are not"),
        ("text: No\n", "text: [No]\n", ":3: text: input should be a valid string"),
        ("- question: How?", "- questions: How?", ":9: there is no key 'questions'"),
    ],
)
def test_a_mistake_in_a_quiz(toy: Path, old: str, new: str, what: str) -> None:
    damage(toy / QUIZ, FILES[QUIZ], old, new)
    with pytest.raises(CourseError) as raised:
        quiz(0)
    assert str(raised.value).startswith(QUIZ + what)
    assert "\n" not in str(raised.value)


def damage(file: Path, text: str, old: str | None, new: str | None) -> None:
    if old is None or new is None:
        file.unlink()
        return
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.mark.parametrize("name", ["07", "7", "drafts"])
def test_a_folder_needs_the_number_of_a_notebook(toy: Path, name: str) -> None:
    folder = toy / "data" / "exercises"
    (folder / "00").rename(folder / name)
    with pytest.raises(CourseError) as raised:
        all_exercises()
    assert str(raised.value).startswith(f"data/exercises/{name}: there is no notebook {name}. Give")


def test_a_name_is_used_once(toy: Path) -> None:
    folder = toy / "data" / "exercises"
    shutil.copytree(folder / "00", folder / "07")
    with pytest.raises(CourseError) as raised:
        hint("tail")
    assert str(raised.value) == (
        "data/exercises: there is an exercise tail in data/exercises/00 and in"
        " data/exercises/07. Rename one"
    )


@pytest.mark.parametrize("use", [lambda: hint("tail"), lambda: quiz(0), all_exercises])
def test_a_package_installed_without_its_repository_says_so(
    toy: Path, use: Callable[[], object]
) -> None:
    shutil.rmtree(toy / "data")
    with pytest.raises(CourseError, match="belongs to the repository and not to the package"):
        use()
