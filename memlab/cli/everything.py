"""``reset --everything`` and ``reset --restore``: one group goes, another comes.

All that a group leaves behind is moved into one new folder in ``my-kept/``:
``my/``, with its hidden folders, and the chat's memories if their directory is
named. Nothing is deleted. A list of what belongs where is written before the
first move, and each move is one rename, so whenever the process dies, a thing
is either at its old place or in the printed folder, from which ``--restore``
puts it back.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from memlab.cli.setup.clone import Clone
from memlab.cli.setup.console import COMMAND, Problem, say

KEPT = "my-kept"
LIST = "moved.json"
MY, MEMORIES = "my", "memories"
_OF_A_BASE = {"projects", "personal", "settings.json"}


def describe(clone: Clone, memories: Path | None) -> list[str]:
    """Say what would be moved, one line each; raises ``Problem`` if
    ``memories`` is no directory of the chat's memories.
    """
    lines = []
    if clone.my.exists():
        notebooks = len(list(clone.my.rglob("*.ipynb")))
        named = [
            name
            for name in ("memory.py", "minutes.json", "agent", ".home")
            if (clone.my / name).exists()
        ]
        extra = f", {', '.join(named)}" if named else ""
        lines.append(f"my/: {notebooks} notebooks{extra}")
    if memories is not None:
        lines.append(f"{memories}: {_projects(memories)}")
    return lines


def move_everything(clone: Clone, memories: Path | None) -> Path | None:
    """Move all that there is into one new folder, and return that folder; None
    if there is nothing to move.
    """
    places = {MY: clone.my}
    if memories is not None:
        places[MEMORIES] = memories
    places = {name: path for name, path in places.items() if path.exists()}
    if not places:
        return None
    _check_nothing_runs(clone)
    return _keep(clone, places)


def restore(clone: Clone, kept: Path) -> None:
    """Put a kept folder's content back where it was; what is there now is kept
    in a folder of its own.
    """
    places = _read_list(kept)
    _check_nothing_runs(clone)
    waiting = {
        # the clone may have been moved since
        name: clone.my if name == MY else Path(path)
        for name, path in places.items()
        if (kept / name).exists()
    }
    in_the_way = {
        name: path for name, path in waiting.items() if path.exists()
    }
    if in_the_way:
        now = _keep(clone, in_the_way)
        say(f"what was there until now is kept in {now}")
    for name, path in waiting.items():
        _move(kept / name, path)
        say(f"restored: {path}")
    (kept / LIST).unlink()
    if not any(kept.iterdir()):
        kept.rmdir()


def check_memories(memories: Path) -> Path:
    """Return the real path of a directory of the chat's memories; raises
    ``Problem`` for any other folder.
    """
    folder = memories.expanduser()
    if folder.is_symlink():
        raise Problem(f"{folder} is a link; name the directory it leads to")
    if not folder.is_dir():
        raise Problem(f"{folder} is not a directory")
    folder = folder.resolve()
    names = {path.name for path in folder.iterdir()}
    if folder == Path.home() or not names & _OF_A_BASE:
        raise Problem(
            f"{folder} is not a directory of the chat's memories, which has a"
            " folder `projects`. Usually, it is ~/.memlab, or what MEMLAB_HOME"
            " says"
        )
    return folder


def _projects(memories: Path) -> str:
    folder = memories / "projects"
    names = sorted(path.name for path in folder.glob("*") if path.is_dir())
    listed = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
    return f"the memories of {len(names)} projects ({listed or 'none'})"


def _keep(clone: Clone, places: dict[str, Path]) -> Path:
    """Move folders into a new one, which says where they were."""
    kept = _new_folder(clone)
    shown = {name: str(path) for name, path in places.items()}
    half = kept / f".{LIST}.new"
    half.write_text(json.dumps(shown, indent=1), "utf-8")
    os.replace(half, kept / LIST)
    for name, path in places.items():
        _move(path, kept / name)
    return kept


def _new_folder(clone: Clone) -> Path:
    """Make a folder that did not exist, named after the time."""
    stamp = f"{datetime.now().astimezone():%Y-%m-%d-%H%M%S}"
    for number in range(1, 1_000):
        path = (
            clone.root / KEPT / (stamp if number == 1 else f"{stamp}-{number}")
        )
        try:
            path.mkdir(parents=True)
        except FileExistsError:
            continue
        return path
    raise Problem(f"there are too many folders in {clone.root / KEPT}")


def _move(path: Path, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.rename(path, to)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise Problem(
                f"{path} cannot be moved: {error.strerror}. Close programs"
                " that use it, such as JupyterLab, and try again"
            ) from error
        # another disk: the copy is complete before the original goes
        half = to.with_name(f".{to.name}.new")
        shutil.rmtree(half, ignore_errors=True)
        shutil.copytree(path, half, symlinks=True)
        os.rename(half, to)
        shutil.rmtree(path)


def _read_list(kept: Path) -> dict[str, str]:
    try:
        places = json.loads((kept / LIST).read_text("utf-8"))
        ours = set(places) <= {MY, MEMORIES} and all(
            isinstance(path, str) for path in places.values()
        )
    except (OSError, ValueError, TypeError):
        ours = False
    if not ours:
        raise Problem(
            f"{kept} is no folder that `{COMMAND} reset --everything` has"
            f" made: it has no readable {LIST}"
        )
    return dict(places)


def _check_nothing_runs(clone: Clone) -> None:
    for server in _servers():
        if Path(str(server.get("root_dir", ""))) == clone.my and _is_alive(
            server.get("pid")
        ):
            raise Problem(
                "JupyterLab is running on my/. Stop it first: press Ctrl-C"
                " twice in its terminal"
            )


def _servers() -> Iterator[dict[str, object]]:
    """Yield what running and crashed Jupyter servers say of themselves."""
    home = Path.home()
    folders = [
        Path(os.environ.get("JUPYTER_RUNTIME_DIR", "")),
        Path(os.environ.get("JUPYTER_DATA_DIR", "")) / "runtime",
        home / ".local/share/jupyter/runtime",
        home / "Library/Jupyter/runtime",
    ]
    for folder in folders:
        if not folder.is_absolute():
            continue
        for path in folder.glob("jpserver-*.json"):
            try:
                found = json.loads(path.read_text("utf-8"))
            except (OSError, ValueError):
                continue
            if isinstance(found, dict):
                yield found


def _is_alive(pid: object) -> bool:
    if os.name == "nt" or not isinstance(pid, int) or pid <= 0:
        return False  # Windows refuses the move itself
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
