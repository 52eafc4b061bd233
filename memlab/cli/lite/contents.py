"""What of the course goes into the browser edition, and how it differs there:
its notebooks with a notice and a way to take one's work home, and the package
with its data.

Only the standard library is used here. What the cells give in a browser, and
whether it equals the stored outputs, is for ``tests/browser/test_lite.py``.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NOTEBOOKS: dict[str, dict[str, str]] = {
    "00_start_here": {},
    "01_memory_files": {
        "cell-72": "kills a second process",
        "cell-74": "kills a second process",
    },
    "02_the_index": {},
}
"""The notebooks of the browser edition, each with the cells that cannot run in
a browser and the reason. All other cells give their stored output there.
"""


PAGES = ("stuck.md",)
"""The pages that the notebooks of the browser edition link to."""

COURSE = "course"
"""The folder below Pyodide's packages that stands for a clone."""

_FILES = tuple(f"{name}.ipynb" for name in NOTEBOOKS)
_LINK = re.compile(r"\[(?P<label>[^\]]+)\]\((?P<file>\w+\.(?:ipynb|md))\)")
_LEFT_OUT = (
    "data/attacks/",
    "data/landscape/",
    "data/recorded/",
    "memlab/cli/lite/",
    "memlab/cli/locks/",
    "notebooks/images/",
)
_KERNEL = {
    "name": "python",
    "display_name": "Python (Pyodide)",
    "language": "python",
}
_NOTICE = """\
> **You are trying the course in a browser tab.** Python itself runs in this \
tab, so nothing was installed, and nothing that you write leaves this \
computer. Everything is here except what a tab doesn't have:
>
> - **no second process**{cells};
> - **no sockets**: the answers come from the stand-in, and no real model can \
be asked;
> - **no lasting files**: your browser keeps the notebooks that you save, but \
it may delete them. The last cell of this page downloads your work. What you \
write in one notebook isn't used by the next, which uses memlab's version.
>
> The first cell takes the longest, because it starts Python. If a cell \
never ends, choose *Kernel → Restart Kernel*.{also}"""
_CELLS = ": {number} cells of this notebook show their stored output instead"
_REST = (
    " These notebooks are here: {names}. For the others, install the course."
)
_STORED = """\
**This cell {reason}, which a browser tab can't do.** On your own machine, it \
prints:

```text
{output}
```

This is the cell:

```python
{source}
```"""
_DOWNLOAD = """\
## Take your work home

The next cell packs what you have written in this notebook, and gives you a \
link to download it. To download the notebook itself, choose *File → \
Download*."""
_DOWNLOAD_CODE = """\
from memlab.course import download_work

download_work()"""


def browser_notebook(
    notebook: dict[str, Any], cannot_run: dict[str, str]
) -> dict[str, Any]:
    """Return a notebook as the browser edition shows it: without outputs, with
    the notice before its cells and the download after them.
    """
    cells: list[dict[str, Any]] = [_notice(len(cannot_run))]
    for cell in notebook["cells"]:
        if cell["id"] in cannot_run:
            cells += _as_stored(cell, cannot_run[cell["id"]])
        elif cell["cell_type"] == "code":
            cells.append({**cell, "outputs": [], "execution_count": None})
        else:
            text = _without_dead_links("".join(cell["source"]))
            cells.append({**cell, "source": text})
    cells.append(_markdown("lite-download", _DOWNLOAD))
    cells.append(_code("lite-download-cell", _DOWNLOAD_CODE))
    metadata = {**notebook["metadata"], "kernelspec": _KERNEL}
    return {**notebook, "cells": cells, "metadata": metadata}


def _without_dead_links(text: str) -> str:
    """Turn links to what is not in the edition into plain text."""

    def shown(link: re.Match[str]) -> str:
        return link[0] if link["file"] in (*_FILES, *PAGES) else link["label"]

    return _LINK.sub(shown, text)


def _notice(cannot_run: int) -> dict[str, Any]:
    names = ", ".join(name[:2] for name in NOTEBOOKS)
    text = _NOTICE.format(
        cells=_CELLS.format(number=cannot_run) if cannot_run else "",
        also=_REST.format(names=names),
    )
    return _markdown("lite-notice", text)


def _as_stored(cell: dict[str, Any], reason: str) -> list[dict[str, Any]]:
    """Return a text with a cell's stored output; the names that it defines
    before it resets the lab are needed below, so that code runs first.
    """
    output = "".join(
        "".join(part["text"])
        for part in cell["outputs"]
        if part["output_type"] == "stream"
    )
    text = _STORED.format(
        reason=reason, output=output.rstrip(), source="".join(cell["source"])
    )
    before = "".join(cell["source"]).partition("lab.reset()")[0].strip()
    defining = []
    if before:
        defining = [_code(f"{cell['id']}-names", before)]
    return [*defining, _markdown(cell["id"], text)]


def _markdown(cell_id: str, text: str) -> dict[str, Any]:
    return {
        "cell_type": "markdown",
        "id": cell_id,
        "metadata": {},
        "source": text,
    }


def _code(cell_id: str, text: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "id": cell_id,
        "metadata": {},
        "execution_count": None,
        "outputs": [],
        "source": text,
    }


def write_notebooks(notebooks: Path, target: Path) -> None:
    """Write the edition's notebooks, pages and pictures into a folder."""
    (target / "images").mkdir(parents=True)
    for name, cannot_run in NOTEBOOKS.items():
        stored = json.loads((notebooks / f"{name}.ipynb").read_text("utf-8"))
        text = json.dumps(browser_notebook(stored, cannot_run), indent=1)
        (target / f"{name}.ipynb").write_text(text, "utf-8")
    for name in PAGES:
        (target / name).write_bytes((notebooks / name).read_bytes())
    for picture in sorted((notebooks / "images").iterdir()):
        data = picture.read_bytes()
        if picture.suffix == ".svg":
            # JupyterLite shows no SVG file that has a character beyond Latin-1
            data = data.decode("utf-8").encode("ascii", "xmlcharrefreplace")
        (target / "images" / picture.name).write_bytes(data)


def write_course_wheel(root: Path, folder: Path) -> None:
    """Pack memlab, its data and the notebooks as a wheel for Pyodide."""
    info = "memlab_course-0.dist-info"
    with zipfile.ZipFile(
        folder / "memlab_course-0-py3-none-any.whl", "w"
    ) as wheel:
        for path in _course_files(root):
            wheel.write(path, f"{COURSE}/{path.relative_to(root).as_posix()}")
        wheel.writestr(
            f"{info}/METADATA",
            "Metadata-Version: 2.1\nName: memlab-course\nVersion: 0\n",
        )
        wheel.writestr(
            f"{info}/WHEEL",
            "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        wheel.writestr(f"{info}/RECORD", "")


def _course_files(root: Path) -> Iterator[Path]:
    for top in ("memlab", "data", "notebooks"):
        for path in sorted((root / top).rglob("*")):
            name = path.relative_to(root).as_posix()
            hidden = any(part.startswith(".") for part in name.split("/"))
            if (
                path.is_file()
                and "__pycache__" not in path.parts
                and not hidden
                and not name.startswith(_LEFT_OUT)
            ):
                yield path
