"""What the main agent and a fork may do, and that what was granted is what is opened."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from memlab.agent.fork import fork_context
from memlab.agent.permissions import Decision, main_permissions, memory_permissions
from memlab.agent.tool import Access, ToolContext
from memlab.agent.tools import run_tool, standard_tools
from memlab.evals.attacks import set_up
from tests.house import SHOWN, House, note
from tests.platforms import needs_links

CI = note("CI.", "CI", "reference")
# M is the memory directory, S the sessions; memo and base are links into them, M/out leads out.
MAIN = {
    "free": """Read notes.md; Grep notes.md; Glob .; Read S; Grep M; Write M/team/ci.md;
Edit M/MEMORY.md; Write memo/tabs.md; Bash cat notes.md""",
    "ask": """Read /etc/hosts; Grep /etc/hosts; Glob /etc; Read gate.txt; Edit new.py;
Write ~/x.py; Write ~/tidebook/../x; Write M/out/a.py; Send Send""",
    "never": """Write base/settings.json; Write M/.memlab/journal.jsonl; Edit M/.MemLab/images/x;
Write S/session-1.jsonl; Edit M-old/tabs.md; Write .memlab/x.md; Read M/.memlab;
Grep M/.memlab/x; Glob M/.memlab; Edit notes.md; Bash git log; Bash cat gate.txt""",
}
FORK = {
    "": """Read notes.md; Read S/s.jsonl; Grep M; Bash grep -rn a . | head -5;
Write M/new.md; Edit M/MEMORY.md""",
    "elsewhere": "Read /etc/passwd; Read gate.txt; Grep ~/outside; Glob ~; Bash cat gate.txt",
    "out of ": "Read ../../x; Write notes.md; Write memo/../a.md",
    "quotes|git is not": "Bash git log; Bash cat a > b",
    "no tool changes|two ways|leads": "Write M/../x.md; Edit M/out/a.md; Edit M/.memlab/x.md",
    "in the background": "Send mail; Task do it",
}


def rows(table: dict[str, str]) -> list[tuple[str, str, dict[str, str]]]:
    """Take a table apart: the verdict, the tool and its input."""
    keys = {"Bash": "command", "Grep": "path", "Glob": "path"}
    places = {"M": SHOWN, "S": SHOWN.removesuffix("/memory")}
    found = []
    for verdict, calls in table.items():
        for name, operand in (call.strip().split(" ", 1) for call in calls.split(";")):
            full = re.sub(r"\b[MS]\b", lambda one: places[one[0]], operand)
            found.append((verdict, name, {keys.get(name, "file_path"): full}))
    return found


@pytest.fixture
def house(house: House) -> House:
    """With a file, a folder outside, and links that lead there, into memory and out of it."""
    house.fill(tabs=note("Tabs."))
    house.store.write_text("team/ci.md", CI)
    links = [f"memo -> {house.memory}", f"base -> {house.base}"]
    links += ["gate.txt -> ../outside/code.txt", f"{house.memory}/out -> {house.project}"]
    set_up(["notes.md", "../outside/code.txt", *links], house.project)
    (house.home / "outside" / "code.txt").write_text("CANARY\n")
    return house


@needs_links
@pytest.mark.behaviour("G5")
@pytest.mark.parametrize("shell", [False, True])
def test_the_main_agent_asks(house: House, shell: bool) -> None:
    asked, answers = list[str](), list[bool | None]()

    def ask(question: str) -> bool:
        asked.append(question)
        return answers[-1] is True

    def decide(answer: bool | None, name: str, told: Any) -> Decision:
        answers.append(answer)

        async def made() -> Decision:
            asks = None if answer is None else ask
            return await main_permissions(context, asks, shell=shell)(name, told)

        return asyncio.run(made())

    context, copy = house.context(), "Bash cp notes.md /srv"
    for verdict, name, told in rows({"ask": copy} if shell else MAIN | {"Never": copy}):
        asked.clear()
        yes = decide(True, name, told)
        questions = list(asked)
        no, nobody = decide(False, name, told), decide(None, name, told)
        allowed = [bool(yes), bool(no), bool(nobody)]
        free, after_a_yes = verdict == "free", verdict in ("free", "ask")
        assert allowed == [after_a_yes, free, free], told
        assert len(questions) == (verdict == "ask"), told
        if questions:
            assert "nobody is here" in nobody.reason
            operand = next(iter(told.values()))
            target = {"gate.txt": "~/outside/code.txt?"}  # where it leads
            assert target.get(operand, operand.split("/")[-1]) in questions[0]


@needs_links
@pytest.mark.behaviour("H3")
def test_a_fork_reads_inside_and_writes_memories(house: House) -> None:
    context = fork_context(house.context(), who="extractor")
    opened = replace(context, reads_anywhere=True, memory=None)
    for said, name, told in rows(FORK):
        decision = memory_permissions(context)(name, told)
        assert bool(decision) == (not said), told
        assert re.search(said, decision.reason), told
        is_read = said in ("", "elsewhere") and name not in ("Write", "Edit")
        assert bool(memory_permissions(opened)(name, told)) is is_read


@needs_links
def test_a_later_link_is_not_followed_and_saving_may_need_a_yes(house: House) -> None:
    class Asking(Access):
        async def agrees(self, context: ToolContext, file: str, text: str) -> bool:
            if file == "edited.md":  # by hand, while the person thinks
                (house.memory / file).write_text("By hand.\n")
            return "spaces" not in text

    def call(name: str, file: str, between: Any = list, **given: Any) -> str:
        """Make a call of a fork; ``between`` runs once it is granted."""

        def permission(name: str, given: Mapping[str, Any]) -> Decision:
            decision = memory_permissions(context)(name, given)
            between()
            return decision

        block = {"name": name, "input": {"file_path": f"{SHOWN}/{file}", **given}}
        work = run_tool(block, standard_tools(), context, permission, house.events)
        return str(asyncio.run(work).result["content"])

    def swap() -> None:
        (house.memory / "team").rename(house.home / f"aside-{len(house.files())}")
        (house.memory / "team").symlink_to(house.home / "outside")

    context = fork_context(replace(house.context(), access=Asking()), who="extractor")
    for file, told in {"ok": "Wrote", "spaces": "does not want", "edited": "not been read"}.items():
        text = note(f"Robin wants {file}.", file)
        assert told in call("Write", f"{file}.md", content=text)
    assert house.files().keys() == {"edited.md", "ok.md", "tabs.md", "team/ci.md"}
    assert house.files()["edited.md"] == "By hand.\n"
    assert "CI." in call("Read", "team/ci.md")
    (house.home / "outside" / "ci.md").write_text(CI)
    call("Write", "team/ci.md", swap, content=CI + "No.\n")
    assert (house.home / "outside" / "ci.md").read_text() == CI
    (house.home / "outside" / "ci.md").write_text("CANARY")
    (house.memory / "team").unlink()
    house.store.write_text("team/ci.md", CI)
    assert "CANARY" not in call("Read", "team/ci.md", swap)
