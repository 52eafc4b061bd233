"""Which version of a notebook a learner's copy was made from.

The copy says so itself, in its metadata, which JupyterLab keeps when it saves
the notebook. ``lab`` and ``reset`` write this, and ``begin`` reads it.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

_KEY = "memlab_copy_of"


def fresh_copy(notebook: Path) -> str:
    """Return the text of a copy: without outputs, and with its version."""
    content = json.loads(notebook.read_text("utf-8"))
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = []
            cell["execution_count"] = None
    content["metadata"][_KEY] = _version(content)
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def is_older(copy: Path, notebook: Path) -> bool:
    """Tell whether a copy was made from another version of the notebook; yes
    if it does not say, or cannot be read.
    """
    return _made_from(_read(copy)) != _version(_read(notebook))


def is_changed(copy: Path) -> bool:
    """Tell whether a cell was changed, added or removed since the copy was
    made; yes if it does not say, or cannot be read.
    """
    content = _read(copy)
    return _made_from(content) != _version(content)


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _made_from(content: dict[str, Any]) -> str:
    return str(content.get("metadata", {}).get(_KEY, "unknown"))


def _version(content: dict[str, Any]) -> str:
    """Return a hash of what a person can change: the cells' texts."""
    cells = [
        (cell.get("cell_type"), "".join(cell.get("source", "")))
        for cell in content.get("cells", [])
    ]
    return hashlib.sha256(json.dumps(cells).encode()).hexdigest()[:16]
