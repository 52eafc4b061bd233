"""Tool calls as the stand-in makes them: reads first, then all writes, then a
last word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memlab.models.standin.task import Task
from memlab.models.wire import Reply, say
from memlab.text import fold_space

Call = tuple[str, Mapping[str, Any]]
CHANGES = ("Write", "Edit")


def answer_with(text: str) -> Reply:
    """Answer with a text alone."""
    return Reply([say(text)])


def call_tools(task: Task, calls: Sequence[Call], words: str = "") -> Reply:
    """Call tools in parallel, after some words if there are any.

    The ids count from the messages before, so they never repeat.
    """
    turn = len(task.request.messages)
    blocks: list[Mapping[str, Any]] = [
        {
            "type": "tool_use",
            "id": f"toolu_{turn:03d}_{number:02d}",
            "name": name,
            "input": given,
        }
        for number, (name, given) in enumerate(calls, 1)
    ]
    spoken = [say(words.strip())] if words.strip() else []
    return Reply([*spoken, *blocks])


def read_step(task: Task, files: Sequence[str]) -> Reply | None:
    """Read what this task has not asked for yet; None if that is nothing."""
    asked = {task.file_of(step) for step in task.steps if step.name == "Read"}
    wanted = [file for file in dict.fromkeys(files) if file not in asked]
    calls = [("Read", {"file_path": path_of(task, file)}) for file in wanted]
    return call_tools(task, calls) if calls else None


def write_step(task: Task, changes: Sequence[Call]) -> Reply | None:
    """Make all changes at once; None if there are none, or if changes were
    made before.
    """
    if not changes or any(step.name in CHANGES for step in task.steps):
        return None
    return call_tools(task, changes)


def finish(
    task: Task, changes: Sequence[Call], otherwise: str, done: str = ""
) -> Reply:
    """Make all changes, then say that this is done, or what was saved; without
    changes, say something else.
    """
    told = done or what_was_saved(task) if changes else otherwise
    return write_step(task, changes) or answer_with(told)


def path_of(task: Task, file: str) -> str:
    """Give the full path of a memory as the model sees it."""
    return f"{task.directory}/{file}"


def write(task: Task, file: str, content: str) -> Call:
    """Write a whole file below the memory directory."""
    return "Write", {"file_path": path_of(task, file), "content": content}


def edit(task: Task, file: str, old: str, new: str) -> Call:
    """Replace a text in a file that has been read."""
    given = {"old_string": old, "new_string": new}
    return "Edit", {"file_path": path_of(task, file), **given}


def drop(task: Task, file: str, superseded_by: str, why: str = "") -> Call:
    """Drop a memory: its header stays, with the file that says it now or the
    reason, and its body goes.
    """
    header, _, _ = task.files.get(file, "---").partition("\n---\n")
    note = (
        f"superseded_by: {superseded_by}"
        if superseded_by
        else f"dropped: {why}"
    )
    return write(task, file, f"{header}\n{note}\n---\n")


def what_was_saved(task: Task) -> str:
    """Sum up the changes of this task from the results of its calls."""
    made = [step for step in task.steps if step.name in CHANGES]
    files = [task.file_of(step) for step in made if not step.failed]
    saved = ", ".join(dict.fromkeys(files))
    lines = [f"Saved: {saved}." if saved else "Nothing was saved."]
    lines += [
        f"{task.file_of(step)} was refused: {fold_space(step.result)}"
        for step in made
        if step.failed
    ]
    return " ".join(lines)
