"""``reset``, and the learner's copies in ``my/``.

A copy is made where it is missing, renewed while it is untouched, and never
overwritten. It has no outputs, so that no prediction is answered before it is
made; its pictures are in a hidden folder, so that little but notebooks is in
sight. The pages that notebooks link to are beside them. ``lab --core`` makes
further copies, in ``my/core``, which have only the short path.
For each file the bytes and the cells that were delivered are remembered. A
copy whose cells are still those, though it has been run, counts as untouched.
What is replaced goes to ``my/.replaced``.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from memlab.cli import everything
from memlab.cli.my_page import PAGE, write_page
from memlab.cli.setup.clone import Clone
from memlab.cli.setup.console import COMMAND, Problem, say
from memlab.short_path import short_path

CORE = "core"
"""The folder in ``my/`` of the copies that have only the short path."""

_DELIVERED = ".delivered.json"
_REPLACED = ".replaced"
_PICTURES = "images"
_PAGE = re.compile(r"\]\((\w+\.md)([)#])")
_OLD_HOME, _HOME = "home", ".home"


@dataclass(frozen=True)
class Fingerprint:
    """Two fingerprints of a file: of every byte, and of the cells' kinds and
    sources only.
    """

    bytes: str
    cells: str


def refresh(clone: Clone, *, core: bool = False) -> None:
    """Bring ``my/`` up to date with ``notebooks/`` without touching what the
    learner changed. ``core`` includes the copies of the short path.
    """
    clone.my.mkdir(exist_ok=True)
    _hide_the_old_home(clone)
    _copy_pictures(clone)
    _copy_pages(clone)
    before = _read_delivered(clone)
    delivered = dict(before)
    copied, renewed, kept = 0, 0, []
    names = list(_files(clone.notebooks))
    if core:
        names += _core_copies(names)
    for name in names:
        now, was = _fingerprint(name, _delivery(clone, name)), before.get(name)
        if not (clone.my / name).exists():
            _copy(clone, name)
            copied += 1
        elif was != now:
            mine = _fingerprint(name, (clone.my / name).read_bytes())
            if mine.cells != now.cells and (
                was is None or mine.cells != was.cells
            ):
                kept.append(name)
                continue
            if mine.cells != now.cells or (
                was is not None and mine.bytes == was.bytes
            ):
                _renew(
                    clone, name, aside=was is None or mine.bytes != was.bytes
                )
                renewed += 1
        delivered[name] = now
    if delivered != before:
        _write_delivered(clone, delivered)
    write_page(clone, list(_files(clone.notebooks)), _opened(clone, delivered))
    _report(copied, renewed, kept)
    _report_retired(retired_copies(clone))


def older_copies(clone: Clone) -> list[str]:
    """Name the learner's notebooks whose cells come from an older version than
    this clone's.
    """
    delivered = _read_delivered(clone)
    return [
        name
        for name in _files(clone.notebooks)
        if name.endswith(".ipynb")
        and (clone.my / name).exists()
        and _is_older(
            delivered.get(name), _fingerprint(name, _delivery(clone, name))
        )
    ]


def retired_copies(clone: Clone) -> dict[str, str]:
    """Name the learner's copies of notebooks that this clone no longer has.

    The value is the notebook of the same title under its new number, or an
    empty text.
    """
    offered = {_title(name): name for name in _files(clone.notebooks)}
    known = {*offered.values(), *_core_copies(offered.values())}
    return {
        name: offered.get(_title(name), "")
        for name in sorted(_read_delivered(clone))
        if name not in known and (clone.my / name).exists()
    }


def add_options(parser: ArgumentParser) -> None:
    """Describe the options of ``reset``."""
    parser.add_argument(
        "notebooks", nargs="*", metavar="NN", help="the notebooks' numbers"
    )
    parser.add_argument("--all", action="store_true", help="every notebook")
    parser.add_argument(
        "--everything",
        action="store_true",
        help=(
            "between two groups: move all of my/ into a folder in my-kept/,"
            " and make fresh copies"
        ),
    )
    parser.add_argument(
        "--memories",
        type=Path,
        metavar="DIR",
        help=(
            "with --everything: also move the memories of `chat`, such as"
            " ~/.memlab. Without this, they are not touched"
        ),
    )
    parser.add_argument(
        "--restore",
        type=Path,
        metavar="FOLDER",
        help="put back what --everything has moved into this folder",
    )
    parser.add_argument(
        "--yes", action="store_true", help="do not ask for confirmation"
    )


def run(clone: Clone, args: Namespace) -> int:
    """Replace the learner's copies by fresh ones, after asking; the old ones
    are kept aside.

    Raises ``Problem`` for a notebook that does not exist, and where nobody is
    there to be asked.
    """
    asked = [
        bool(args.notebooks or args.all),
        args.everything,
        args.restore is not None,
    ]
    if sum(asked) > 1 or (args.memories and not args.everything):
        raise Problem(
            "choose one: numbers of notebooks (or --all), --everything"
            " (perhaps with --memories DIR), or --restore FOLDER"
        )
    if args.everything:
        return _reset_everything(clone, args)
    if args.restore is not None:
        everything.restore(clone, args.restore)
        return 0
    offered = list(_files(clone.notebooks))
    chosen = (
        offered
        if args.all
        else [_find(offered, name) for name in args.notebooks]
    )
    chosen += [
        name for name in _core_copies(chosen) if (clone.my / name).exists()
    ]
    if not offered:
        raise Problem(f"there are no notebooks in {clone.notebooks}")
    if not chosen:
        raise Problem(
            f"name a notebook ({COMMAND} reset 03), or reset all of them:"
            " reset --all"
        )
    delivered = _read_delivered(clone)
    mine_differ = [name for name in chosen if _differs(clone, name)]
    if mine_differ and not args.yes and not _agreed(mine_differ):
        say("nothing was changed")
        return 1
    for name in chosen:
        aside = _set_aside(clone, name) if name in mine_differ else None
        if aside or not (clone.my / name).exists():
            _copy(clone, name)
            say(
                f"my/{name} is a fresh copy"
                + (f"; your version is my/{aside}" if aside else "")
            )
        else:
            say(f"my/{name} was unchanged")
        delivered[name] = _fingerprint(name, _delivery(clone, name))
    _write_delivered(clone, delivered)
    return 0


def _reset_everything(clone: Clone, args: Namespace) -> int:
    memories = (
        None
        if args.memories is None
        else everything.check_memories(args.memories)
    )
    lines = everything.describe(clone, memories)
    for line in lines:
        say(line)
    question = f"memlab: move all of this to {everything.KEPT}/? [y/N] "
    if lines and not args.yes and not _says_yes(question):
        say("nothing was changed")
        return 1
    kept = everything.move_everything(clone, memories)
    refresh(clone)
    if kept is not None:
        say(f"everything is kept in {kept}")
        say(f'to get it back, type: {COMMAND} reset --restore "{kept}"')
    return 0


def _renew(clone: Clone, name: str, *, aside: bool) -> None:
    if aside:
        _set_aside(clone, name)
    _copy(clone, name)


def _report(copied: int, renewed: int, kept: list[str]) -> None:
    if copied:
        say(f"new files copied to my/: {copied}")
    if renewed:
        say(
            "files in my/ updated, because you had not changed them:"
            f" {renewed}"
        )
    numbers = dict.fromkeys(
        PurePosixPath(name).stem.split("_")[0]
        for name in kept
        if name.endswith(".ipynb")
    )
    if numbers:
        say(
            f"there is a newer version of {', '.join(numbers)}; yours is kept."
            f" To get the new one, type: {COMMAND} reset {' '.join(numbers)}"
        )


def _report_retired(retired: dict[str, str]) -> None:
    if retired:
        listed = ", ".join(
            f"{old} (now {new})" if new else old
            for old, new in retired.items()
        )
        say(
            f"no longer part of the course: {listed}. Your copies stay in my/;"
            " delete them when you do not need them any more"
        )


def _title(name: str) -> str:
    return name.partition("_")[2]


def _files(folder: Path) -> Iterator[str]:
    """Name what is delivered: the notebooks."""
    for path in sorted(folder.glob("*.ipynb")):
        if path.is_file() and not path.name.startswith("."):
            yield path.name


def _core_copies(names: Iterable[str]) -> list[str]:
    return [f"{CORE}/{name}" for name in names if name.endswith(".ipynb")]


def _find(offered: list[str], wanted: str) -> str:
    notebooks = [name for name in offered if name.endswith(".ipynb")]
    for name in notebooks:
        if wanted in (name, PurePosixPath(name).stem):
            return name
        if wanted.isdigit() and name.split("_")[0] == wanted.zfill(2):
            return name
    there = (
        ", ".join(PurePosixPath(name).stem.split("_")[0] for name in notebooks)
        or "none"
    )
    raise Problem(f"there is no notebook {wanted}. The notebooks are: {there}")


def _differs(clone: Clone, name: str) -> bool:
    mine = clone.my / name
    return mine.exists() and mine.read_bytes() != _delivery(clone, name)


def _agreed(names: list[str]) -> bool:
    listed = ", ".join(f"my/{name}" for name in names)
    return _says_yes(
        f"memlab: replace {listed}? Your version will be moved to my/{_REPLACED}/."
        " [y/N] "
    )


def _says_yes(question: str) -> bool:
    try:
        answer = input(question)
    except EOFError:
        print(flush=True)
        raise Problem(
            "there is nobody to ask here; add --yes if you are sure"
        ) from None
    return answer.strip().lower() in ("y", "yes")


def _copy(clone: Clone, name: str) -> None:
    path = clone.my / name
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name}.new")
    half.write_bytes(_delivery(clone, name))
    os.replace(half, path)


def _delivery(clone: Clone, name: str) -> bytes:
    """Return a notebook without its outputs, and any other file as it is."""
    folder, _, file = name.rpartition("/")
    content = (clone.notebooks / file).read_bytes()
    try:
        notebook = json.loads(content)
        up = "../" if folder else ""
        if folder:
            notebook["cells"] = _short(notebook["cells"], file)
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                cell["outputs"], cell["execution_count"] = [], None
            elif cell["cell_type"] == "markdown":
                source = "".join(cell["source"])
                here = f"]({up}{pictures_folder()}/"
                source = source.replace(f"]({_PICTURES}/", here)
                source = _PAGE.sub(rf"]({up}\1\2", source)
                cell["source"] = source.splitlines(keepends=True)
    except (ValueError, KeyError, TypeError):
        return content
    text = json.dumps(notebook, indent=1, ensure_ascii=False)
    return f"{text}\n".encode("utf-8", "surrogatepass")


def _short(cells: list[dict[str, Any]], file: str) -> list[dict[str, Any]]:
    """Return the cells of the short path; the first one says where the rest
    is.
    """
    path = short_path(cells)
    if path and path[0]["cell_type"] == "markdown":
        title = "".join(path[0]["source"])
        path[0]["source"] = (
            f"{title}\n\nThis copy has only the short path. The whole notebook"
            f" is [here](../{file})."
        )
    return path


def pictures_folder() -> str:
    """Name the folder of the pictures in ``my/``: hidden, except on a hub,
    whose server shows nothing from hidden folders.
    """
    on_a_hub = "JUPYTERHUB_SERVICE_PREFIX" in os.environ
    return _PICTURES if on_a_hub else f".{_PICTURES}"


def _copy_pictures(clone: Clone) -> None:
    folder = clone.my / pictures_folder()
    folder.mkdir(exist_ok=True)
    for picture in sorted((clone.notebooks / _PICTURES).glob("*.svg")):
        copy, content = folder / picture.name, picture.read_bytes()
        if not copy.exists() or copy.read_bytes() != content:
            copy.write_bytes(content)


def _copy_pages(clone: Clone) -> None:
    """Copy the pages that the notebooks link to, and those that these link
    to; nobody is expected to write into them, so a page that differs is set
    aside and renewed.
    """
    names = list(_files(clone.notebooks))
    pages: set[str] = set()
    while names:
        text = (clone.notebooks / names.pop()).read_text("utf-8", "replace")
        linked = {
            name
            for name, _ in _PAGE.findall(text)
            # an example may contain a link
            if name != PAGE and (clone.notebooks / name).is_file()
        }
        names += linked - pages
        pages |= linked
    for name in sorted(pages):
        mine = clone.my / name
        content = (clone.notebooks / name).read_bytes()
        if mine.exists() and mine.read_bytes() != content:
            _set_aside(clone, name)
        if not mine.exists():
            _copy(clone, name)


def _hide_the_old_home(clone: Clone) -> None:
    """Move the notebooks' working folders of earlier versions out of sight."""
    old, new = clone.my / _OLD_HOME, clone.my / _HOME
    if old.is_dir() and (old / ".locks").is_dir() and not new.exists():
        os.rename(old, new)
        say("the notebooks' working folders are now in my/.home")


def _opened(clone: Clone, delivered: dict[str, Fingerprint]) -> set[str]:
    """Name the copies that were run or changed."""
    return {
        name
        for name in delivered
        if (clone.my / name).is_file()
        and _fingerprint(name, (clone.my / name).read_bytes()).bytes
        != delivered[name].bytes
    }


def _set_aside(clone: Clone, name: str) -> str:
    """Move the learner's file to a free name in ``my/.replaced``; gives that
    name.
    """
    path = PurePosixPath(_REPLACED, name)
    number = 1
    while (
        clone.my
        / (aside := path.with_name(f"{path.stem}.{number}{path.suffix}"))
    ).exists():
        number += 1
    (clone.my / aside).parent.mkdir(parents=True, exist_ok=True)
    os.rename(clone.my / name, clone.my / aside)
    return str(aside)


def _fingerprint(name: str, content: bytes) -> Fingerprint:
    whole = hashlib.sha256(content).hexdigest()
    if not name.endswith(".ipynb"):
        return Fingerprint(whole, whole)
    try:
        cells = [
            (cell["cell_type"], "".join(cell["source"]))
            for cell in json.loads(content)["cells"]
        ]
    except (ValueError, KeyError, TypeError):
        return Fingerprint(whole, whole)
    return Fingerprint(
        whole, hashlib.sha256(json.dumps(cells).encode()).hexdigest()
    )


def _is_older(delivered: Fingerprint | None, now: Fingerprint) -> bool:
    return delivered is None or delivered.cells != now.cells


def _read_delivered(clone: Clone) -> dict[str, Fingerprint]:
    try:
        kept = json.loads((clone.my / _DELIVERED).read_text("utf-8"))
        return {name: Fingerprint(**fields) for name, fields in kept.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _write_delivered(clone: Clone, delivered: dict[str, Fingerprint]) -> None:
    clone.my.mkdir(exist_ok=True)
    half = clone.my / f"{_DELIVERED}.new"
    half.write_text(
        json.dumps({n: asdict(p) for n, p in delivered.items()}, indent=1),
        "utf-8",
    )
    os.replace(half, clone.my / _DELIVERED)
