"""Runs real dreams in a notebook's lab.

``script_dream`` lets tool calls that you write down take the place of the
model's answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memlab.agent.tools import standard_tools
from memlab.course.gate_examples import gates_for, lock_for
from memlab.course.lab import Lab
from memlab.course.notebook_folder import SHOWN_MEMORY
from memlab.dream.dream import Dream, DreamTask
from memlab.harness import Harness

if TYPE_CHECKING:
    from memlab.models.request import ModelRequest
    from memlab.models.wire import Reply

Call = tuple[str, Mapping[str, Any]]


async def dream_once(
    lab: Lab, harness: Harness, *, task: DreamTask | None = None, **more: Any
) -> DreamTask:
    """Dream in a conversation of the lab; by default, apply what the review
    accepts.

    ``more`` goes to the dream as it is: ``policy``, ``decide``, ``review``.
    """
    dream = Dream(
        runtime=lab.runtime,
        tools=standard_tools(),
        context=replace(harness.context, home=lab.home),
        lock=lock_for(lab),
        policy="ask" if "decide" in more else "apply",
    )
    dream = replace(dream, **more)
    due = gates_for(lab, current_session=harness.session, manual=True)
    return await dream.run(
        harness.agent.prefix(),
        sessions=due.sessions,
        hours_since=due.hours_since,
        task=task,
    )


def script_dream(lab: Lab, *steps: str | Sequence[Call]) -> None:
    """Script the model's answers in the next dreams: one step per answer, and
    the last ends the dream.

    A step is a text or a list of calls, each a tool's name and its input.
    Without steps, the stand-in answers again.
    """
    lab.model.roles.pop("dream", None)
    if steps:
        lab.model.roles["dream"] = lambda request: _step(steps, request)


def write(file: str, text: str) -> Call:
    """Return the call that writes a memory of the example."""
    return "Write", {"file_path": f"{SHOWN_MEMORY}/{file}", "content": text}


def read(*files: str) -> list[Call]:
    """Return the calls that read memories of the example."""
    return [
        ("Read", {"file_path": f"{SHOWN_MEMORY}/{file}"}) for file in files
    ]


def tombstone(file: str, **reason: str) -> Call:
    """Return the call that writes a tombstone over a memory of the example."""
    rows = "".join(f"{key}: {value}\n" for key, value in reason.items())
    return write(file, f"---\nname: gone\n{rows}---\n")


def _step(
    steps: Sequence[str | Sequence[Call]], request: ModelRequest
) -> Reply:
    from memlab.models.wire import Reply, say

    number = min(request.answers_since, len(steps) - 1)
    step = steps[number]
    if isinstance(step, str):
        return Reply([say(step)])
    return Reply(
        [
            {
                "type": "tool_use",
                "id": f"toolu_{number}_{n}",
                "name": name,
                "input": dict(given),
            }
            for n, (name, given) in enumerate(step)
        ]
    )
