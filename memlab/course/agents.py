"""From a notebook's lab to an agent that works in it: its folders, its model,
its clock.

``agent_for`` returns the bare loop, ``harness_for`` the assembled agent with
its memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from memlab.agent.fork import ForkResult, fork_context, run_forked_agent
from memlab.agent.loop import Agent
from memlab.agent.permissions import Ask, main_permissions
from memlab.agent.session import new_transcript
from memlab.agent.tool import ToolContext
from memlab.agent.tools import standard_tools
from memlab.agent.transcript import Transcript
from memlab.course.lab import Lab
from memlab.course.notebook_folder import SLUG
from memlab.course.own_parts import parts_folder
from memlab.harness import Harness, HarnessOptions
from memlab.memdir.folder import Folder
from memlab.memdir.places import Where
from memlab.memdir.store import MemoryStore
from memlab.memdir.toggles import Toggles, load_toggles
from memlab.models.connect import make_runtime
from memlab.models.offline import OfflineModel
from memlab.models.standin.scripts import notebook_scripts
from memlab.prompts.blocks import block


def scripted_messages(lab: Lab) -> tuple[str, ...]:
    """Return what the person says in the notebook's own script, turn by
    turn.
    """
    scripts = notebook_scripts(lab.number)
    return tuple(turn.user for script in scripts for turn in script.main)


def tool_context(lab: Lab) -> ToolContext:
    """Return what tools need to work in the lab's home; Bash runs only
    commands that read.
    """
    return ToolContext(
        project=lab.project,
        home=lab.home,
        clock=lab.clock,
        memory=lab.memory,
        store=MemoryStore(lab.memory, clock=lab.clock),
        sessions=lab.sessions,
    )


def agent_for(
    lab: Lab, session: str, *, ask: Ask | None = None, **more: Any
) -> Agent:
    """Return an agent that works in the lab's home and writes the transcript
    of a session.

    ``ask`` answers where a person would be asked. ``more`` are further fields
    of the agent, which replace those set here. No memory is recalled unless
    ``more`` has a ``prefetch``.
    """
    context = tool_context(lab)
    history = more.get("history")
    claude_md = (lab.project / "CLAUDE.md").read_text(encoding="utf-8").strip()
    agent = Agent(
        runtime=lab.runtime,
        model=lab.settings.main_model,
        system=lab.runtime.prompts.load(
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
            cwd=SLUG.replace("-", "/"),
            parent=history.uuids[-1] if history and history.uuids else None,
        ),
    )
    return replace(agent, **more) if more else agent


async def fork_for(lab: Lab, agent: Agent, prompt: str) -> ForkResult:
    """Fork an agent of the lab and give the copy one more message."""
    return await run_forked_agent(
        agent.prefix(),
        prompt,
        lab.runtime,
        tools=agent.tools,
        context=fork_context(agent.context, who="notebook"),
        purpose="fork",
        max_turns=lab.settings.extract_max_turns,
    )


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
    options = HarnessOptions(
        runtime=lab.runtime,
        base=lab.base,
        where=lab.where,
        environ={},
        toggles=load_toggles(
            lab.sessions, base=lab.base, environ={}, defaults=defaults
        ),
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
    base = home / ".memlab"
    Folder(base).make()
    model = None
    if lab.mode == "offline":
        model = OfflineModel(settings=lab.settings, chat=True)
    options = HarnessOptions(
        runtime=make_runtime(
            lab.mode, model=model, ledger=lab.ledger, settings=lab.settings
        ),
        base=base,
        where=Where(home, "/you"),
        environ={},
        toggles=Toggles(auto_dream=True),
        prompts=lab.prompts.folder,
    )
    return Harness(project, replace(options, **more))
