"""Agents that work in a notebook's lab, and dreams of its memory.

``agent_for`` returns the bare loop, ``harness_for`` the assembled agent with
its memory. ``script_dream`` lets tool calls that you write down take the place
of a dreaming model's answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memlab.agent.loop import Agent
from memlab.agent.permissions import Ask, main_permissions
from memlab.agent.session import new_transcript
from memlab.agent.tool import ToolContext
from memlab.agent.tools import standard_tools
from memlab.agent.transcript import Transcript
from memlab.course.lab import ROBINS_HOME, Lab
from memlab.course.notebook_folder import SHOWN_MEMORY
from memlab.course.own_parts import parts_folder
from memlab.dream.dream import Dream, DreamTask
from memlab.harness import Harness, HarnessOptions
from memlab.memdir.folder import Folder
from memlab.memdir.places import Where
from memlab.memdir.store import MemoryStore
from memlab.memdir.toggles import Toggles, load_toggles
from memlab.models.connect import make_runtime
from memlab.models.standin.scripts import notebook_scripts
from memlab.prompts.blocks import block

if TYPE_CHECKING:
    from memlab.models.request import ModelRequest
    from memlab.models.wire import Reply

Call = tuple[str, Mapping[str, Any]]


def scripted_messages(lab: Lab) -> tuple[str, ...]:
    """Return what the person says in the notebook's own script, turn by
    turn.
    """
    scripts = notebook_scripts(lab.number)
    return tuple(turn.user for script in scripts for turn in script.main)


def agent_for(
    lab: Lab, session: str, *, ask: Ask | None = None, **more: Any
) -> Agent:
    """Return an agent that works in the lab's home and writes the transcript
    of a session.

    ``ask`` answers where a person would be asked. ``more`` are further fields
    of the agent, which replace those set here. No memory is recalled unless
    ``more`` has a ``prefetch``.
    """
    context = ToolContext(
        project=lab.project,
        home=lab.home,
        clock=lab.clock,
        memory=lab.memory,
        store=MemoryStore(lab.memory, clock=lab.clock),
        sessions=lab.sessions,
    )
    history = more.get("history")
    claude_md = (lab.project / "CLAUDE.md").read_text(encoding="utf-8").strip()
    agent = Agent(
        runtime=lab.runtime,
        model=lab.settings.main_model,
        system=lab.prompts.load(
            "agent",
            project=f"~/{lab.project.name}",
            instructions=block("instructions", claude_md),
        ),
        tools=standard_tools(lab.prompts),
        context=context,
        permission=main_permissions(context, ask),
        transcript=Transcript(
            new_transcript(lab.sessions, session),
            clock=lab.clock,
            cwd=f"{ROBINS_HOME}/{lab.project.name}",
            parent=history.uuids[-1] if history and history.uuids else None,
        ),
    )
    return replace(agent, **more)


def harness_for(
    lab: Lab,
    session: str = "",
    *,
    dreams: bool = True,
    modes: Sequence[str] = (),
    **more: Any,
) -> Harness:
    """Return the assembled agent in the lab's home: index, recall, extraction,
    dreams.

    ``session`` names its transcript. ``modes`` are the toggles of further ways
    to remember, which are on unless the lab's settings say otherwise. ``more``
    are further options of the harness, which replace those set here. A dream
    that is due runs without a question unless ``more`` has ``decide``.
    """
    defaults = Toggles(auto_dream=dreams)
    for mode in modes:
        defaults = defaults.switched(mode, True, "default")
    toggles = load_toggles(
        lab.sessions, base=lab.base, environ={}, defaults=defaults
    )
    options = HarnessOptions(
        runtime=lab.runtime,
        base=lab.base,
        where=lab.where,
        environ={},
        toggles=toggles,
        session=session,
        prompts=lab.prompts.folder,
    )
    return Harness(lab.project, replace(options, **more))


def own_agent(lab: Lab, folder: Path | None = None, **more: Any) -> Harness:
    """Return the learner's own agent, which remembers from one run of a
    notebook to the next.

    What it knows is in ``my/agent``, which no ``begin`` resets, or in
    ``folder``. It uses the real time, the lab's mode, and the parts that are in
    the machine. It dreams when a dream is due.
    """
    home = folder or parts_folder().parent / "agent"
    project = home / "notes"
    project.mkdir(parents=True, exist_ok=True)
    Folder(home / ".memlab").make()
    options = HarnessOptions(
        runtime=make_runtime(
            lab.mode, ledger=lab.ledger, settings=lab.settings
        ),
        base=home / ".memlab",
        where=Where(home, "/you"),
        environ={},
        toggles=Toggles(auto_dream=True),
        prompts=lab.prompts.folder,
    )
    return Harness(project, replace(options, **more))


async def dream_once(
    lab: Lab, harness: Harness, *, task: DreamTask | None = None, **more: Any
) -> DreamTask:
    """Dream in a conversation of the lab; by default, apply what the review
    accepts.

    ``more`` goes to the dream as it is: ``policy``, ``decide``, ``review``.
    """
    dreams = harness.dreams
    due = dreams.look(manual=True)
    dream = Dream(
        runtime=lab.runtime,
        tools=dreams.tools,
        context=harness.context,
        lock=dreams.lock,
        policy="ask" if "decide" in more else "apply",
    )
    return await replace(dream, **more).run(
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
    from memlab.models.wire import Reply, say

    def answer(request: ModelRequest) -> Reply:
        step = steps[min(request.answers_since, len(steps) - 1)]
        if isinstance(step, str):
            return Reply([say(step)])
        uses = []
        for number, (name, given) in enumerate(step):
            uid = f"toolu_{request.answers_since}_{number}"
            uses.append(
                {
                    "type": "tool_use",
                    "id": uid,
                    "name": name,
                    "input": dict(given),
                }
            )
        return Reply(uses)

    lab.model.roles.pop("dream", None)
    if steps:
        lab.model.roles["dream"] = answer


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
