"""Runs real dreams in a notebook's lab, and shows what they did turn by turn.

``script_dream`` lets tool calls that you write down take the place of the
model's answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memlab.agent.tools import standard_tools
from memlab.course.display import Table, table
from memlab.course.gate_examples import gates_for, lock_for
from memlab.course.lab import Lab
from memlab.course.notebook_folder import SHOWN_MEMORY
from memlab.dream.dream import Dream, DreamTask
from memlab.harness import Harness
from memlab.text import as_blocks

if TYPE_CHECKING:
    from memlab.models.request import ModelRequest
    from memlab.models.wire import Reply

Call = tuple[str, Mapping[str, Any]]
_PROMPT = "# Put the memory in order"


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


def turns(
    lab: Lab,
) -> list[tuple[str, list[dict[str, Any]], list[dict[str, Any]]]]:
    """List what the newest dream said, called and got back, for every answer
    except the last.
    """
    requests = [
        request for request in lab.model.requests if request.purpose == "dream"
    ]
    messages = [
        (message["role"], as_blocks(message["content"]))
        for message in requests[-1].body["messages"]
    ]
    starts = [
        n
        for n, (_, blocks) in enumerate(messages)
        if _PROMPT in _words(blocks)
    ]
    answers = messages[starts[-1] + 1 :]
    return [
        (_words(said), _of(said, "tool_use"), _of(got, "tool_result"))
        for (_, said), (_, got) in zip(
            answers[::2], answers[1::2], strict=True
        )
    ]


def turn_table(lab: Lab) -> Table:
    """Show the newest dream answer by answer: its words, and its tools with
    how often.
    """
    rows = []
    for number, (words, calls, results) in enumerate(turns(lab), 1):
        counts = Counter(call["name"] for call in calls)
        tools = ", ".join(f"{n} {name}" for name, n in counts.items())
        failed = sum(bool(result.get("is_error")) for result in results)
        rows.append(
            (number, words.partition("] ")[2] or words, tools, failed or "")
        )
    return table(rows, ("answer", "it says", "it calls", "failed"))


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


def _words(blocks: Sequence[Mapping[str, Any]]) -> str:
    return " ".join(
        str(block["text"]) for block in blocks if block.get("type") == "text"
    )


def _of(
    blocks: Sequence[Mapping[str, Any]], kind: str
) -> list[dict[str, Any]]:
    return [dict(block) for block in blocks if block.get("type") == kind]
