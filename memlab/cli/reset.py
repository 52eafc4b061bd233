"""Get fresh copies of notebooks. Yours move to my/.replaced/."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from memlab.cli.bootstrap import COMMAND, ROOT, say
from memlab.cli.commands import command_parser
from memlab.errors import MemlabError

NOTEBOOKS, MY = ROOT / "notebooks", ROOT / "my"
REPLACED = MY / ".replaced"


def main(argv: Sequence[str]) -> int:
    """Replace the copies of some notebooks; returns the exit status."""
    parser = command_parser("reset", __doc__)
    parser.add_argument("numbers", nargs="+", metavar="NN", help="such as 03")
    MY.mkdir(exist_ok=True)
    for notebook in [_find(each) for each in parser.parse_args(argv).numbers]:
        copy, fresh = MY / notebook.name, _fresh(notebook)
        older = [one.read_bytes() for one in REPLACED.glob(f"{copy.stem}.*")]
        if copy.exists() and copy.read_bytes() not in (fresh, *older):
            kept = set_aside(copy, REPLACED)
            say(f"your my/{copy.name} is now {kept.relative_to(ROOT)}")
        copy.write_bytes(fresh)
        say(f"my/{copy.name} is a fresh copy")
    return 0


def copy_notebooks() -> None:
    """Make the copies in my/ that are missing, with what is beside the
    notebooks, and say which copies are old.
    """
    shutil.copytree(NOTEBOOKS / "images", MY / "images", dirs_exist_ok=True)
    if not (MY / ".jupyterlab").exists():
        shutil.copytree(NOTEBOOKS / ".jupyterlab", MY / ".jupyterlab")
    for page in {*NOTEBOOKS.glob("*.md")} - {NOTEBOOKS / "README.md"}:
        if not (MY / page.name).exists():
            shutil.copy(page, MY)
    older = ""
    for notebook in sorted(NOTEBOOKS.glob("[0-9]*.ipynb")):
        copy = MY / notebook.name
        if not copy.exists():
            copy.write_bytes(_fresh(notebook))
        elif copy.stat().st_mtime < notebook.stat().st_mtime:
            older += f" {notebook.name[:2]}"
    if older:
        say(f"to get the newer versions of{older}: {COMMAND} reset{older}")


def _fresh(notebook: Path) -> bytes:
    """Read a notebook without its outputs, which would give the answers
    away.
    """
    content = json.loads(notebook.read_text("utf-8"))
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            cell |= {"outputs": [], "execution_count": None}
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    return text.encode()


def _find(number: str) -> Path:
    for notebook in NOTEBOOKS.glob(f"{number.zfill(2)}_*.ipynb"):
        return notebook
    raise MemlabError(f"there is no notebook {number}")


def set_aside(path: Path, folder: Path) -> Path:
    """Move a file or a folder into another folder, where it gets a number, and
    return its new place.
    """
    folder.mkdir(exist_ok=True)
    number = 1
    while (kept := folder / f"{path.stem}.{number}{path.suffix}").exists():
        number += 1
    path.rename(kept)
    return kept
