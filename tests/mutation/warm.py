"""A warm process that runs notebooks: it forks for each run, so no run waits for its imports.

``python -m tests.mutation.warm`` reads one JSON request per line and answers each with one JSON
line. A request holds the code cells of a notebook with their stored outputs. A forked child runs
them in IPython, in an asyncio loop as a Jupyter kernel does, and stops at the first cell that
raises or prints something else. What the notebook imported besides memlab is imported here before
the next fork; memlab itself is imported in each child, from that request's copy of the project.

It needs ``os.fork``, which Windows does not have. Left out: choosing what to run, in ``runner.py``.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import importlib.util
import json
import os
import select
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from tests.notebooks.compare import first_difference

NEVER_WARM = ("memlab", "matplotlib_inline", "__main__", "__mp_main__")
"""Modules that each child imports itself: the package under test, and the plot backend, which
attaches itself to the shell when it is imported."""


def main() -> int:
    """Answer requests until standard input ends."""
    requests, answers = sys.stdin, os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a cell's children print is no answer
    shell = InteractiveShell.instance()
    shell.history_manager.enabled = False
    for line in requests:
        request = json.loads(line)
        answer = _forked(shell, request)
        _warm_up(answer.pop("modules", []))
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
    return 0


def _warm_up(modules: list[str]) -> None:
    for name in modules:
        if name not in sys.modules:
            try:
                importlib.import_module(name)
            except Exception:  # it may only be importable in the place that imported it
                continue
    gc.collect()
    gc.freeze()


def _forked(shell: InteractiveShell, request: dict[str, Any]) -> dict[str, Any]:
    """Run the request in a child; a child that hangs or dies is an answer too."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.setsid()
        status = 1
        try:
            with os.fdopen(writing, "w", encoding="utf-8") as said:
                _be_a_kernel(shell, request, said)
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    cell, answer = 0, None
    for line in _lines(reading, request["seconds"]):
        if line is None:
            os.killpg(child, signal.SIGKILL)
            answer = {"cell": cell, "how": f"not done in {request['seconds']} s", "raised": True}
            break
        said = json.loads(line)
        if "how" in said or "error" in said:
            answer = said
            break
        cell = said["cell"]
    os.close(reading)
    _, status = os.waitpid(child, 0)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)  # what a cell started and left running
    if answer is None:
        answer = {"cell": cell, "how": f"the process died, status {status}", "raised": True}
    return answer


def _lines(reading: int, seconds: float) -> Iterator[str | None]:
    """Yield each line as soon as it comes, until the end; ``None`` if none comes for so long."""
    held = b""
    while select.select([reading], [], [], seconds)[0]:
        came = os.read(reading, 65_536)
        if not came:
            return
        *lines, held = (held + came).split(b"\n")
        for line in lines:
            yield line.decode()
    yield None


def _be_a_kernel(shell: InteractiveShell, request: dict[str, Any], said: IO[str]) -> None:
    """In the child: take on the request's environment, run the cells, say what came of them."""
    before = set(sys.modules)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    tree = Path(request["tree"]).resolve()
    sys.path[:] = [str(tree), *(path for path in sys.path if not _holds_memlab(path))]
    importlib.invalidate_caches()
    spec = importlib.util.find_spec("memlab")
    origin = Path(str(spec and spec.origin)).resolve()
    if (tree / "memlab").resolve() not in origin.parents:
        answer: dict[str, Any] = {"error": f"a cell would import {origin}, not the changed copy"}
    else:
        answer = asyncio.run(_first_red(shell, request, said))
        loaded = [name for name in sys.modules if name.partition(".")[0] not in NEVER_WARM]
        answer["modules"] = [name for name in loaded if name not in before]
    said.write(json.dumps(answer) + "\n")


def _holds_memlab(path: str) -> bool:
    return (Path(path or ".") / "memlab" / "__init__.py").exists()


async def _first_red(
    shell: InteractiveShell, request: dict[str, Any], said: IO[str]
) -> dict[str, Any]:
    replacements = [(old, new) for old, new in request["replacements"]]
    for cell in request["cells"]:
        said.write(json.dumps({"cell": cell["number"]}) + "\n")
        said.flush()
        error, fresh = await _run(shell, cell["source"])
        how = error or first_difference(cell["outputs"], fresh, replacements)
        if how:
            return {"cell": cell["number"], "how": how, "raised": bool(error)}
        await asyncio.sleep(0)  # between two cells a kernel's loop runs on
    return {"cell": None, "how": "", "raised": False}


async def _run(shell: InteractiveShell, source: str) -> tuple[str, list[dict[str, Any]]]:
    """Run one cell as ipykernel does; return its error, if any, and its outputs."""
    with capture_output() as captured:
        shell.display_trap.hook = sys.displayhook  # which running a cell would put aside
        result = await shell.run_cell_async(
            source, store_history=False, transformed_cell=shell.transform_cell(source)
        )
        shell.events.trigger("post_execute")  # plots are shown here
        shell.events.trigger("post_run_cell", result)
    error = result.error_before_exec or result.error_in_exec
    outputs: list[dict[str, Any]] = [
        {"output_type": "display_data", "data": shown.data} for shown in captured.outputs
    ]
    for name in ("stdout", "stderr"):
        if text := getattr(captured, name):
            outputs.append({"output_type": "stream", "name": name, "text": text})
    return f"{type(error).__name__}: {error}".splitlines()[0] if error else "", outputs


if __name__ == "__main__":
    sys.exit(main())
