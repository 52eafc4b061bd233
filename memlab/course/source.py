"""Shows the package's own source and prompts, read from the installed files.

What a notebook shows in this way cannot drift from what runs. Lines are
numbered from 1 in each piece of source, so that a text can refer to them. The
folders of this machine are not shown, so that the text is the same everywhere.
"""

from __future__ import annotations

import inspect
import textwrap
from functools import cached_property
from pathlib import Path
from typing import Any

from memlab.course.data_files import CLONE, shown_path
from memlab.course.display import Page, fenced
from memlab.errors import CourseError
from memlab.prompts import prompt_text


def show_source(*objects: Any, lines: tuple[int, int] | None = None) -> Page:
    """Show the source of functions, classes, methods or modules, each under
    its file and name.

    ``lines`` are the first and the last line to show; without them, all are
    shown. Where a learner's part is used instead, memlab's own source is shown.
    Raises CourseError for an object without Python source.
    """
    if not objects:
        raise CourseError(
            "nothing to show", where="show_source()", do="Pass a function"
        )
    parts = [_shown(_bare(thing), lines) for thing in objects]
    titles = ", ".join(label for label, _ in parts)
    return Page(titles, "\n\n".join(text for _, text in parts))


def show_prompt(name: str) -> Page:
    """Show one prompt as it is in its file; raises PromptError when there
    is none.
    """
    label = f"memlab/prompts/{name}.md"
    return Page(label, f"`{label}`\n\n{fenced(prompt_text(name), 'markdown')}")


def _bare(thing: Any) -> Any:
    if isinstance(thing, property):
        return thing.fget
    if isinstance(thing, cached_property):
        return thing.func
    return inspect.unwrap(thing) if callable(thing) else thing


def _shown(thing: Any, lines: tuple[int, int] | None) -> tuple[str, str]:
    try:
        source = textwrap.dedent(inspect.getsource(thing))
        file = Path(inspect.getsourcefile(thing) or "").resolve()
    except (TypeError, OSError) as error:
        raise CourseError(
            f"{thing!r} has no source to show",
            where="show_source()",
            do="Pass a function, a class or a module, not a value",
        ) from error
    inside = file.is_relative_to(CLONE)
    file_shown = shown_path(file) if inside else "this notebook"
    name = "" if inspect.ismodule(thing) else f" · {thing.__qualname__}"
    label = f"{file_shown}{name}"
    shown = numbered(source)
    if lines is None:
        return label, f"`{label}`\n\n{fenced(shown, 'python')}"
    first, last = lines
    part = "\n".join(shown.splitlines()[first - 1 : last])
    heading = f"`{label}`, lines {first} to {last}"
    return label, f"{heading}\n\n{fenced(part, 'python')}"


def numbered(source: str) -> str:
    """Put the number of each line in front of it; the first is 1."""
    lines = source.strip("\n").splitlines()
    width = len(str(len(lines)))
    return "\n".join(
        f"{number:>{width}}  {line}".rstrip()
        for number, line in enumerate(lines, 1)
    )
