"""Reads the files that a teacher writes below ``data/``, and says exactly what
is wrong with one.

Every error is one sentence that names the file, with the line where there is
one, and says what to do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from memlab.errors import CourseError

CLONE = Path(__file__).resolve().parents[2]
"""The folder that contains ``data/`` and ``notebooks/``, unless memlab was
installed without it.
"""

# C where PyYAML has it: ten times as fast
_YAML = getattr(yaml, "CBaseLoader", yaml.BaseLoader)

KeyPath = Sequence[str | int]
"""The keys and positions that lead to a value in a YAML file."""

Model = TypeVar("Model", bound="DataModel")


class DataModel(BaseModel):
    """A part of a data file: a key that it does not have is an error, and so
    is a wrong type.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)


class DataFileError(CourseError):
    """A file below ``data/`` cannot be used; ``line`` counts from 1, and 0 is
    the whole file.
    """

    def __init__(
        self, what: str, *, file: Path, line: int = 0, do: str
    ) -> None:
        self.line = line
        where = shown_path(file)
        super().__init__(
            what, where=f"{where}:{line}" if line else where, do=do
        )


def data_folder(name: str) -> Path:
    """Find a folder of ``data/``; raises CourseError if memlab was installed
    without it.
    """
    return _folder_of_clone(f"data/{name}")


def notebook_numbers() -> list[int]:
    """Return the numbers of the course's notebooks, in order; raises
    CourseError if memlab was installed without them.
    """
    files = _folder_of_clone("notebooks").glob("[0-9][0-9]_*.ipynb")
    return sorted(int(file.name[:2]) for file in files)


def _folder_of_clone(name: str) -> Path:
    folder = CLONE / name
    if not folder.is_dir():
        raise CourseError(
            "this folder is missing, because it belongs to the repository and"
            " not to the package",
            where=name,
            do=(
                "Clone the whole repository and start from there: python3 -m"
                " memlab lab"
            ),
        )
    return folder


def shown_path(path: Path) -> str:
    """Return a path as seen from the repository, so that the machine's own
    folders stay out.
    """
    return (
        path.relative_to(CLONE).as_posix()
        if path.is_relative_to(CLONE)
        else str(path)
    )


def read_text(file: Path, purpose: str) -> str:
    """Read a file; raises DataFileError, with the file's purpose, if it is
    missing or not UTF-8.
    """
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise DataFileError(
            f"the file is missing: {purpose}", file=file, do="Add it"
        ) from None
    except UnicodeDecodeError:
        raise DataFileError(
            "the file is not UTF-8", file=file, do="Save it as UTF-8"
        ) from None


def read_yaml(file: Path, purpose: str) -> tuple[Any, yaml.Node | None]:
    """Read a YAML file as values, and as the nodes that know their lines.

    Every single value is text, as it is written: ``No`` is not False, and a
    date is not a date.
    """
    text = read_text(file, purpose)
    try:
        return yaml.load(text, _YAML), yaml.compose(text, _YAML)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise DataFileError(
            f"this is not YAML: {error.problem}",
            file=file,
            line=line,
            do=(
                "Indent by spaces, and quote a value that contains ': ' or"
                " ' #'"
            ),
        ) from None


def line_of(node: yaml.Node | None, key_path: KeyPath) -> int:
    """Return the line of a key or an entry, or of the nearest one around it
    that exists.
    """
    line = node.start_mark.line + 1 if node else 0
    for step in key_path:
        if isinstance(node, yaml.SequenceNode) and isinstance(step, int):
            node = node.value[step]
            line = node.start_mark.line + 1
        elif isinstance(node, yaml.MappingNode):
            keys = {key.value: key for key, _ in node.value}
            if step not in keys:
                break
            line = keys[step].start_mark.line + 1
            node = dict(node.value)[keys[step]]
        else:
            break
    return line


def validated(model: type[Model], values: Any) -> Model:
    """Make a model of plain values; raises ValidationProblem for the first
    value that is wrong.
    """
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise ValidationProblem(error) from None


def read_questions(
    file: Path, purpose: str, model: type[Model], **fields: Any
) -> Model:
    """Read a YAML list as the ``questions`` of a model; raises DataFileError
    with the line of the first fault.
    """
    values, node = read_yaml(file, purpose)
    try:
        return validated(model, {**fields, "questions": values})
    except ValidationProblem as problem:
        line = line_of(node, problem.key_path[1:])
        raise DataFileError(
            problem.what, file=file, line=line, do=problem.do
        ) from None


class ValidationProblem(Exception):
    """The first thing that is wrong with some values: what it is, which keys
    lead to it, and what to do.

    A misspelt key is named as such, and not as the key that is missing because
    of it.
    """

    def __init__(self, error: ValidationError) -> None:
        faults = error.errors(include_url=False)
        first = next(
            (fault for fault in faults if fault["type"] == "extra_forbidden"),
            faults[0],
        )
        self.key_path: KeyPath = first["loc"]
        key = next(
            (
                str(step)
                for step in reversed(self.key_path)
                if isinstance(step, str)
            ),
            "",
        )
        self.what, self.do = _in_words(
            first["type"], key, first["msg"], first.get("ctx", {})
        )
        super().__init__(self.what)


def _in_words(
    kind: str, key: str, message: str, context: Mapping[str, Any]
) -> tuple[str, str]:
    if kind == "extra_forbidden":
        return (
            f"there is no key {key!r}",
            "Correct its spelling, or delete the line",
        )
    if kind == "missing":
        return f"the key {key!r} is missing", f"Add a line '{key}: …'"
    if kind == "literal_error":
        return f"{key} cannot have this value", f"Choose {context['expected']}"
    if kind == "value_error":
        return str(context["error"]), "Correct it"
    return (
        f"{key or 'the content'}: {message[0].lower()}{message[1:]}",
        "Correct the value",
    )
