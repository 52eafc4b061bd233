"""A course with one notebook and one quiz, as a teacher would write the files."""

from __future__ import annotations

from pathlib import Path

QUIZ = "data/quizzes/00.yaml"

FILES = {
    "notebooks/00_toy.ipynb": "{}",
    QUIZ: """\
- question: Why?
  options:
    - text: No
      why: Not so.
    - text: Yes
      right: true
      why: So it is.

- question: How?
  options:
    - text: So
      right: true
      why: Like this.
    - text: Not
      why: "Not\\n  like that."
""",
}


def write_toy(root: Path) -> None:
    """Write the files of the toy course below a folder."""
    for name, text in FILES.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
