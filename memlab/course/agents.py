"""From a notebook's lab to an agent that works in it: its folders, its model, its clock.

``agent_for`` gives the bare loop, ``harness_for`` the assembled machine with its memory. Left out:
what either does.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import yaml

from memlab.agent.command_policy import is_read_only_command
from memlab.agent.command_run import run_read_only
from memlab.agent.fork import ForkResult, fork_context, run_forked_agent
from memlab.agent.loop import Agent
from memlab.agent.permissions import Ask, main_permissions
from memlab.agent.tool import ToolContext
from memlab.agent.tools import standard_tools
from memlab.agent.transcript import Transcript
from memlab.course.home import SLUG
from memlab.course.lab import Lab
from memlab.harness import Harness
from memlab.memdir.store import MemoryStore
from memlab.memdir.toggles import Toggles, load_toggles
from memlab.prompts import load_prompt
from memlab.recall import Prefetch, Surfaced, recall


def spoken(lab: Lab) -> tuple[str, ...]:
    """Give what the person says in the notebook's own screenplay, turn by turn."""
    files = sorted((lab.example / "screenplays").glob(f"{lab.number:02d}_*.yaml"))
    plays = [yaml.safe_load(file.read_text(encoding="utf-8")) for file in files]
    return tuple(turn["user"] for play in plays for turn in play["turns"])


def tool_context(lab: Lab) -> ToolContext:
    """Give what the tools of an agent need to work in the lab's home; Bash runs what only reads."""
    roots = (lab.project, lab.sessions)
    return ToolContext(
        project=lab.project,
        home=lab.home,
        clock=lab.clock,
        settings=lab.settings,
        memory=lab.memory,
        store=MemoryStore(lab.memory, clock=lab.clock),
        sessions=lab.sessions,
        judge=is_read_only_command,
        run_read_only=partial(run_read_only, cwd=lab.project, roots=roots),
    )


def prefetch_for(lab: Lab, surfaced: Surfaced, wait: float | None = None) -> Prefetch:
    """Give a prefetch that recalls from the lab's memories what a session has not seen.

    ``wait`` is for how many seconds the first main call waits at most; the setting, by default.
    """
    changes = {} if wait is None else {"prefetch_wait_seconds": wait}
    settings = lab.settings.with_changes(**changes)

    async def remember(words: str, recent_tools: Sequence[str]) -> list[str]:
        report = await recall(
            words,
            directory=lab.memory,
            client=lab.client,
            settings=lab.settings,
            clock=lab.clock,
            surfaced=surfaced,
            recent_tools=recent_tools,
            show=lab.show,
            rank=lab.parts.get("keyword_rank"),
        )
        return list(report.texts)

    return Prefetch(remember, clock=lab.clock, settings=settings, events=lab.events)


def agent_for(lab: Lab, session: str, *, ask: Ask | None = None, **more: Any) -> Agent:
    """Give an agent that works in the lab's home and writes the transcript of a session.

    ``ask`` answers where a person would be asked. ``more`` goes to the agent as it is and replaces
    what stands here. No memory is recalled unless a ``prefetch`` is among it.
    """
    context, history = tool_context(lab), more.get("history")
    claude_md = (lab.project / "CLAUDE.md").read_text(encoding="utf-8").strip()
    parts: dict[str, Any] = {
        "client": lab.client,
        "model": lab.settings.main_model,
        "system": load_prompt("agent", project=f"~/{lab.project.name}", claude_md=claude_md),
        "tools": standard_tools(),
        "context": context,
        "permission": main_permissions(context, ask),
        "clock": lab.clock,
        "settings": lab.settings,
        "events": lab.events,
        "transcript": Transcript(
            lab.sessions / f"{session}.jsonl",
            clock=lab.clock,
            cwd=SLUG.replace("-", "/"),
            parent=history.uuids[-1] if history and history.uuids else None,
        ),
    }
    return Agent(**parts | more)


async def fork_for(lab: Lab, agent: Agent, prompt: str, **more: Any) -> ForkResult:
    """Fork an agent of the lab and give the copy one more message; ``more`` as in ``agent_for``."""
    parts: dict[str, Any] = {
        "client": lab.client,
        "tools": agent.tools,
        "context": fork_context(agent.context, who="notebook"),
        "purpose": "fork",
        "max_turns": lab.settings.extract_max_turns,
        "clock": lab.clock,
        "settings": lab.settings,
        "events": lab.events,
    }
    return await run_forked_agent(agent.prefix(), prompt, **parts | more)


def harness_for(lab: Lab, session: str = "", *, dreams: bool = True, **more: Any) -> Harness:
    """Give the assembled agent, at work in the lab's home: index, recall, extraction, dreams.

    ``session`` names its transcript. ``more`` goes to the harness as it is and replaces what stands
    here. A dream that is due is carried out without a question unless ``decide`` is among it.
    """
    defaults = Toggles(auto_dream=dreams)
    parts: dict[str, Any] = {
        "client": lab.client,
        "clock": lab.clock,
        "settings": lab.settings,
        "events": lab.events,
        "base": lab.base,
        "where": lab.where,
        "environ": {},
        "toggles": load_toggles(lab.sessions, base=lab.base, environ={}, defaults=defaults),
        "session": session,
        "rank": lab.parts.get("keyword_rank"),
    }
    return Harness(lab.project, **parts | more)
