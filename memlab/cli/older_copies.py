"""What a notebook says when one of its imports of memlab fails because the
copy is an old one.

A learner's copies in ``my/`` may be older than the package, and name modules
or functions that have moved since. IPython calls ``explain`` for an import
that fails in a cell.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import TracebackType
from typing import Any


def watch_imports() -> None:
    """Have failed imports explained, where this process runs a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is not None:
        shell.set_custom_exc((ImportError,), explain)


def explain(
    shell: Any,
    kind: type[ImportError],
    error: ImportError,
    trace: TracebackType,
    tb_offset: int | None = None,
) -> None:
    """Show an import error; one that an older copy of a notebook explains, in
    one message.
    """
    number = _older_copy() if _is_of_memlab(error) else None
    if number is not None:
        from memlab.cli.setup.console import COMMAND

        message = (
            f"{error}. This copy of notebook {number} is older than memlab. To"
            f" get the new one, type this in a terminal: {COMMAND} reset"
            f" {number} (yours moves to my/.replaced/)"
        )
        error.msg = message
        error.__dict__["_render_traceback_"] = lambda: [
            f"{kind.__name__}: {message}"
        ]
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset)


def _is_of_memlab(error: ImportError) -> bool:
    return (error.name or "").partition(".")[0] == "memlab"


def _older_copy() -> str | None:
    """Return the number of the notebook that runs, if it is a copy in ``my/``
    of an older version.

    Where the front end does not say which notebook it is, any older copy will
    do: ``NN``.
    """
    from memlab.cli.reset import older_copies
    from memlab.cli.setup.clone import find_clone

    clone = find_clone()
    folder = Path.cwd()
    if folder != clone.my and clone.my not in folder.parents:
        return None
    older = [Path(name) for name in older_copies(clone)]
    running = Path(os.environ.get("JPY_SESSION_NAME", "")).name
    if running in [path.name for path in older]:
        return running.partition("_")[0]
    return "NN" if older and not running else None
