"""What a teacher reads who has made a mistake in a quiz."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from memlab.course import quiz
from memlab.errors import CourseError
from tests.unit.course.toy import FILES, QUIZ

pytestmark = pytest.mark.usefixtures("toy")


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
    assert old in FILES[QUIZ]
    (toy / QUIZ).write_text(FILES[QUIZ].replace(old, new, 1), encoding="utf-8")
    with pytest.raises(CourseError) as raised:
        quiz(0)
    assert str(raised.value).startswith(QUIZ + what)
    assert "\n" not in str(raised.value)


def test_a_package_installed_without_its_repository_says_so(toy: Path) -> None:
    shutil.rmtree(toy / "data")
    with pytest.raises(CourseError, match="belongs to the repository and not to the package"):
        quiz(0)
