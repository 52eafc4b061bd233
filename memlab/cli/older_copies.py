"""What a learner's copy of a notebook in ``my/`` says if it is older than
memlab.

It may import modules or functions that have moved since: IPython calls
``explain`` for an import that fails in a cell. And its number may belong to
another notebook now.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memlab.cli.setup.clone import Clone


def watch_imports() -> None:
    """Have failed imports explained where this process runs a notebook, and
    say if the course no longer has this notebook.
    """
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is not None:
        shell.set_custom_exc((ImportError,), explain)
        _report_retired()


def _report_retired() -> None:
    running = _running()
    clone = _clone_of_copies() if running else None
    if clone is None:
        return
    from memlab.cli.reset import retired_copies

    retired = retired_copies(clone)
    if running in retired:
        new = retired[running] or "my/README.md, which lists the notebooks,"
        print(
            f"{running} is no longer part of the course. Please open {new}"
            f" instead: the number {running.partition('_')[0]} may now belong"
            " to another notebook. This copy stays as it is."
        )


def _running() -> str:
    """Return the file name of the notebook that runs, if the front end says
    which one it is.
    """
    return Path(os.environ.get("JPY_SESSION_NAME", "")).name


def _clone_of_copies() -> Clone | None:
    """Return the clone whose folder ``my/`` this process works in."""
    from memlab.cli.setup.clone import find_clone
    from memlab.cli.setup.console import Problem

    try:
        clone = find_clone()
    except Problem:  # memlab was installed without its repository
        return None
    folder = Path.cwd()
    return clone if clone.my in (folder, *folder.parents) else None


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

    clone = _clone_of_copies()
    if clone is None:
        return None
    older = [Path(name) for name in older_copies(clone)]
    running = _running()
    if running in [path.name for path in older]:
        return running.partition("_")[0]
    return "NN" if older and not running else None
