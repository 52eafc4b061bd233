"""The learner's copies of the notebooks in ``my/``, and ``reset``, which
replaces one by a fresh copy.

A copy has no outputs, so that no prediction is answered before it is made. A
copy in which a cell was changed is replaced only by ``reset``. What is replaced
moves to ``my/.replaced``.
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from pathlib import Path

from memlab.cli.setup.clone import Clone
from memlab.cli.setup.console import COMMAND, Problem, say
from memlab.copies import fresh_copy, is_changed, is_older


def add_options(parser: ArgumentParser) -> None:
    """Describe the options of ``reset``."""
    parser.add_argument(
        "notebooks", nargs="+", metavar="NN", help="the notebooks' numbers"
    )


def run(clone: Clone, args: Namespace) -> int:
    """Replace copies by fresh ones; raises ``Problem`` for a notebook that
    does not exist, and then replaces none.
    """
    chosen = [_find(clone, number) for number in args.notebooks]
    for notebook in chosen:
        kept = _replace(clone, notebook)
        note = f"; yours is now {kept}" if kept else ""
        say(f"my/{notebook.name} is a fresh copy{note}")
    return 0


def refresh(clone: Clone) -> None:
    """Make the copies that are missing, and replace those that are older than
    the notebook and were not changed.
    """
    _copy_pictures_and_pages(clone)
    made, renewed, kept = 0, 0, []
    for notebook in _notebooks(clone):
        copy = clone.my / notebook.name
        if not copy.exists():
            _replace(clone, notebook)
            made += 1
        elif not is_older(copy, notebook):
            continue
        elif is_changed(copy):
            kept.append(notebook.name[:2])
        else:
            _replace(clone, notebook)
            renewed += 1
    if made:
        say(f"notebooks copied to my/: {made}")
    if renewed:
        say(f"notebooks in my/ replaced by newer versions: {renewed}")
    if kept:
        numbers = " ".join(kept)
        say(
            f"there is a newer version of {numbers}; yours is kept. To get the"
            f" new one, type: {COMMAND} reset {numbers}"
        )


def _notebooks(clone: Clone) -> list[Path]:
    return sorted(clone.notebooks.glob("[0-9][0-9]_*.ipynb"))


def _find(clone: Clone, number: str) -> Path:
    notebooks = {path.name[:2]: path for path in _notebooks(clone)}
    if number.zfill(2) not in notebooks:
        raise Problem(
            f"there is no notebook {number}. The notebooks are:"
            f" {', '.join(notebooks) or 'none'}"
        )
    return notebooks[number.zfill(2)]


def _replace(clone: Clone, notebook: Path) -> str:
    """Put a fresh copy into ``my/``; gives the new place of the old one, or
    nothing if there was none.
    """
    clone.my.mkdir(exist_ok=True)
    copy = clone.my / notebook.name
    half = copy.with_name(f".{copy.name}.new")
    half.write_text(fresh_copy(notebook), "utf-8")
    kept = _set_aside(clone, copy) if copy.exists() else ""
    os.replace(half, copy)
    return kept


def _set_aside(clone: Clone, copy: Path) -> str:
    folder = clone.my / ".replaced"
    folder.mkdir(exist_ok=True)
    number = 1
    while (place := folder / f"{copy.stem}.{number}{copy.suffix}").exists():
        number += 1
    os.rename(copy, place)
    return place.relative_to(clone.root).as_posix()


def _copy_pictures_and_pages(clone: Clone) -> None:
    """Copy what the notebooks show and link to; a page in which somebody has
    written is set aside first.
    """
    (clone.my / "images").mkdir(parents=True, exist_ok=True)
    overview = clone.notebooks / "README.md"  # it links into the clone
    files = [
        *clone.notebooks.glob("images/*.svg"),
        *(set(clone.notebooks.glob("*.md")) - {overview}),
    ]
    for file in files:
        copy, content = (
            clone.my / file.relative_to(clone.notebooks),
            file.read_bytes(),
        )
        if copy.exists():
            if copy.read_bytes() == content:
                continue
            if copy.suffix == ".md":
                _set_aside(clone, copy)
        copy.write_bytes(content)
