"""The parts of notebooks 06 to 08 in the machine: it calls them, and does the same as without."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from memlab.agent import fork_context, run_forked_agent
from memlab.course import agent_for, begin, dream_once, harness_for, parts, scripted_messages
from memlab.course.gap import all_gaps, load

RIGHT = Path(__file__).parent / "right"
OF_A_FORK = ("mark_cache", "fork_request", "is_inside")
OF_EXTRACTION = ("new_messages", "Extractor", "agent_saved_itself")


def use(*names: str) -> None:
    for name in names:
        if name == "raises":
            parts.install(all_gaps()["fork_request"], lambda *given: 1 / 0)
            continue
        gap = all_gaps()[name]
        source = (RIGHT / f"nb{gap.notebook:02d}_b.py").read_text("utf-8")
        parts.install(gap, load(name, source))


async def fork(*names: str) -> list[Any]:
    """Ask a question, and then give the job of notebook 06."""
    lab = begin(6)
    use(*names)
    agent = agent_for(lab, "parent")
    thanks, question, tidy, _ = scripted_messages(lab)
    await agent.run_turn(thanks)
    for prompt in (question, tidy):
        await run_forked_agent(
            agent.prefix(),
            prompt,
            lab.runtime,
            tools=agent.tools,
            context=fork_context(agent.context, who="notebook"),
            purpose="fork",
            max_turns=lab.settings.extract_max_turns,
        )
    assert lab.model
    sent = [request.body for request in lab.model.requests]
    return [*sent, *map(str, lab.events)]


async def day(*names: str) -> list[Any]:
    """Two turns that end during a run, and one in which the agent saves something itself."""
    lab = begin(8)
    use(*names)
    harness = harness_for(lab, "monday", dreams=False)
    for words in ("Always show me plain SQL.", "The store opens on Thursday.", "Thanks."):
        await harness.say(words)
    await harness.drain()
    await harness.say("Remember: the tide feed is watched at lantern.example/d/feed.")
    await harness.drain()
    assert lab.model
    sent = [request.body for request in lab.model.requests]
    return [*sent, *map(str, lab.events), *harness.notices]


@pytest.mark.parametrize(
    ("scene", "names"),
    [(fork, OF_A_FORK), (day, OF_EXTRACTION), (day, ("fork_request", "may_write"))],
)
def test_requests_and_events_are_the_same_with_parts(scene: Any, names: tuple[str, ...]) -> None:
    ours = asyncio.run(scene())
    assert asyncio.run(scene(*names)) == ours
    assert all(parts.calls[name] for name in names)


def test_a_fork_sends_memlabs_request_if_the_part_raises(
    capsys: pytest.CaptureFixture[str],
) -> None:
    ours = asyncio.run(fork())
    assert asyncio.run(fork("raises")) == ours
    assert "your fork_request raised ZeroDivisionError" in capsys.readouterr().out


def test_a_dream_needs_no_answer_to_build_on() -> None:
    async def scene() -> list[str]:
        lab = begin(11)
        use("fork_request", "mark_cache")
        dry = await dream_once(lab, harness_for(lab, "night", dreams=False), policy="dry_run")
        task = await harness_for(lab, "monday").dream_now()
        return [dry.notice, task.notice]

    before_all, first = asyncio.run(scene())
    assert before_all.startswith("The dream would change 9 files.")
    assert "failed" not in first
