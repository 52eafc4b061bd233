"""Finds the exercises in ``data/exercises`` and reads them; nothing lists them
by hand.

``data/exercises/README.md`` describes the files. An exercise is read again
each time it is needed, so that an edit takes effect at once, and only the
files of that exercise are opened, so that ``memlab store`` knows which
notebooks an edit concerns.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from memlab.course.data_files import (
    DataFileError,
    ValidationProblem,
    data_folder,
    read_text,
    shown_path,
    validated,
)
from memlab.course.exercise import Exercise, Header, WrongAnswer
from memlab.course.seams import without_seams
from memlab.errors import MemoryFormatError
from memlab.memdir import frontmatter
from memlab.text import fold_space

FILES = {
    "prompt.md": (
        "it contains the task, below a few keys such as 'kind' and 'returns'"
    ),
    "starter.py": "it contains the code that the notebook shows",
    "solution.py": "it contains one right answer",
    "hints.md": "it contains the hints, and why the solution works",
    "cases.py": (
        "it contains the function cases(random), which returns the cases"
    ),
}
"""The files that every exercise has, and what each one is for."""

KINDS = ("build", "break", "diagnose")
"""The order in which the gaps of a notebook are listed; a notebook may have
them in any order.
"""

WHY = "Why the solution works"
_NUMBER = re.compile("[0-9]{2}")
_MESSAGE = re.compile(r"# message: (.+)\n")


def find_exercise(name: str) -> Exercise | None:
    """Read one exercise; None if there is none of this name. Raises
    DataFileError.
    """
    folder = _find_folder(name)
    return _read_exercise(folder) if folder else None


def read_solution(name: str) -> str | None:
    """Read only the solution of an exercise; None if there is none of this
    name. A part that calls another one needs it for each call.
    """
    folder = _find_folder(name)
    if folder is None:
        return None
    return read_text(folder / "solution.py", FILES["solution.py"])


@dataclass(frozen=True)
class Gap:
    """What a list of exercises needs to know about one of them."""

    name: str
    notebook: int
    planned: bool


def all_gaps() -> tuple[Gap, ...]:
    """List every exercise in the order of the notebooks, without running any
    of their code; raises DataFileError.
    """
    found = []
    for folder in _notebook_folders(data_folder("exercises")):
        gaps = []
        for path in sorted(folder.iterdir()):
            if not _is_visible_folder(path):
                continue
            file = path / "prompt.md"
            header, _ = _read_prompt(file, read_text(file, FILES["prompt.md"]))
            planned = header.status == "planned"
            gap = Gap(path.name, int(folder.name), planned)
            gaps.append((_place(header), path.name, gap))
        found += [gap for _, _, gap in sorted(gaps, key=lambda row: row[:2])]
    return tuple(found)


def notebook_of(name: str) -> str:
    """Return the two digits of an exercise's notebook; empty if there is no
    such exercise.
    """
    folder = _find_folder(name)
    return folder.parent.name if folder else ""


def all_exercises() -> tuple[Exercise, ...]:
    """Read every exercise, in the order of the notebooks; raises DataFileError
    for the first fault.

    Within a notebook, building comes first, then breaking, then diagnosing,
    and the bonus last.
    """
    found: list[Exercise] = []
    root = data_folder("exercises")
    notebooks = root.parents[1] / "notebooks"
    for folder in _notebook_folders(root):
        if not _NUMBER.fullmatch(folder.name) or not any(
            notebooks.glob(f"{folder.name}_*")
        ):
            raise DataFileError(
                f"there is no notebook {folder.name}",
                file=folder,
                do="Give the folder the two digits of a notebook, such as 03",
            )
        names = sorted(
            path.name for path in folder.iterdir() if _is_visible_folder(path)
        )
        exercises = [
            exercise for name in names if (exercise := find_exercise(name))
        ]
        found += sorted(
            exercises, key=lambda exercise: _place(exercise.header)
        )
    return tuple(found)


def _place(header: Header) -> tuple[bool, int]:
    """Return where a gap is listed among those of its notebook."""
    return header.bonus == "yes", KINDS.index(header.kind)


def _find_folder(name: str) -> Path | None:
    root = data_folder("exercises")
    if not name.isidentifier():
        return None
    folders = [
        folder
        for folder in sorted(root.glob(f"[0-9][0-9]/{name}"))
        if folder.is_dir()
    ]
    if not folders:
        return None
    if len(folders) > 1:
        both = " and in ".join(shown_path(folder.parent) for folder in folders)
        raise DataFileError(
            f"there is an exercise {name} in {both}",
            file=root,
            do="Rename one",
        )
    return folders[0]


def _notebook_folders(root: Path) -> list[Path]:
    return sorted(path for path in root.iterdir() if _is_visible_folder(path))


def _is_visible_folder(path: Path) -> bool:
    return path.is_dir() and not path.name.startswith((".", "__"))


def _read_exercise(folder: Path) -> Exercise:
    texts = {
        name: read_text(folder / name, purpose)
        for name, purpose in FILES.items()
    }
    header, task = _read_prompt(folder / "prompt.md", texts["prompt.md"])
    for name in ("starter.py", "solution.py"):
        _require_definition(folder / name, texts[name], folder.name)
    hints, why = _read_hints(folder / "hints.md", texts["hints.md"])
    cases, run = _load_cases(folder / "cases.py", texts["cases.py"])
    return Exercise(
        name=folder.name,
        notebook=int(folder.parent.name),
        header=header,
        task=task,
        starter=texts["starter.py"],
        solution=texts["solution.py"],
        hints=hints,
        why=why,
        wrong=_read_wrong_answers(folder / "wrong", folder.name),
        cases=cases,
        run=run,
    )


def _read_prompt(file: Path, text: str) -> tuple[Header, str]:
    try:
        front = frontmatter.read(text, shown_path(file))
    except MemoryFormatError as error:
        raise DataFileError(
            error.what, file=file, line=error.line, do=error.do
        ) from None

    def line_of(*keys: str) -> int:
        node = front.nodes.get(keys)
        return text.count("\n", 0, node.start) + 1 if node else 1

    try:
        header = validated(Header, front.nodes[()].value)
    except ValidationProblem as problem:
        line = line_of(*map(str, problem.key_path))
        raise DataFileError(
            problem.what, file=file, line=line, do=problem.do
        ) from None
    if not front.body.strip():
        do = "Write below the second '---' what the learner has to do"
        raise DataFileError("the task is missing", file=file, do=do)
    return header, front.body.strip()


def _read_hints(file: Path, text: str) -> tuple[tuple[str, ...], str]:
    """Read the sections: ``## Hint 1`` and so on, and at the end why the
    solution works.
    """
    pieces = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    headings = [heading.strip() for heading in pieces[1::2]]
    sections = [fold_space(section) for section in pieces[2::2]]
    expected = [
        *(f"Hint {number}" for number in range(1, max(2, len(headings)))),
        WHY,
    ]
    if headings != expected or pieces[0].strip() or not all(sections):
        raise DataFileError(
            f"the headings are {headings}, and each needs a text below it",
            file=file,
            do=(
                "Write '## Hint 1', '## Hint 2' and so on, and at the end '##"
                f" {WHY}'"
            ),
        )
    return tuple(sections[:-1]), sections[-1]


def _read_wrong_answers(folder: Path, name: str) -> tuple[WrongAnswer, ...]:
    files = sorted(folder.glob("*.py"))
    return tuple(_read_wrong_answer(file, name) for file in files)


def _read_wrong_answer(file: Path, name: str) -> WrongAnswer:
    text = read_text(file, "it contains a wrong answer")
    match = _MESSAGE.match(text)
    if not match:
        raise DataFileError(
            "the first line does not say which message it should cause",
            file=file,
            line=1,
            do=(
                "Begin with '# message: ' and a few words that the message of"
                " check has to contain"
            ),
        )
    _require_definition(file, text, name)
    return WrongAnswer(file=file.name, message=match[1].strip(), source=text)


def _require_definition(file: Path, text: str, name: str) -> None:
    body = _parsed(file, text).body
    if not any(
        isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name
        for node in body
    ):
        do = f"Write 'def {name}(…)', with the name of the exercise's folder"
        raise DataFileError(f"there is no function {name}", file=file, do=do)


def _parsed(file: Path, text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError as error:
        what = f"this is not Python: {error.msg}"
        raise DataFileError(
            what, file=file, line=error.lineno or 0, do="Correct it"
        ) from None


def _load_cases(
    file: Path, text: str
) -> tuple[Callable[..., Any], Callable[..., Any] | None]:
    """Run ``cases.py`` as a separate module, and return its function
    ``cases``, and ``run`` if it has one.
    """
    code = compile(_parsed(file, text), str(file), "exec", dont_inherit=True)
    module = ModuleType(f"memlab_exercise_{file.parent.name}")
    module.__file__ = str(file)
    sys.modules[module.__name__] = module  # dataclasses look their module up
    try:
        with without_seams():
            exec(code, vars(module))
    except Exception as error:
        raise DataFileError(
            f"running it raised {type(error).__name__}: {error}",
            file=file,
            line=_line_of_error(error, file),
            do=(
                "Correct it; it may import from memlab, and not from its own"
                " folder"
            ),
        ) from error
    function = vars(module).get("cases")
    if not callable(function):
        do = "Write 'def cases(random: Random) -> list[Case]:'"
        raise DataFileError("there is no function cases", file=file, do=do)
    return function, vars(module).get("run")


def _line_of_error(error: Exception, file: Path) -> int:
    trace, line = error.__traceback__, 0
    while trace:
        if trace.tb_frame.f_code.co_filename == str(file):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
