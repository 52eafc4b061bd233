"""What the main agent and a fork may do, and that what was granted is what is opened."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memlab.agent.fork import fork_context
from memlab.agent.permissions import Decision, main_permissions, memory_permissions
from memlab.agent.tool import Access, ToolContext
from memlab.agent.tools import run_tool, standard_tools
from memlab.evals.attacks import fill, load_path_cases, load_shell_cases, load_trees, set_up
from memlab.memdir.folder import Folder, Found
from tests.house import SHOWN, House, note
from tests.platforms import needs_links, needs_posix

SESSIONS = SHOWN.removesuffix("/memory")
CI = note("CI.", "CI", "reference")
# M is the memory directory, S the sessions; memo and base are links into them, M/out leads out.
MAIN = {
    "free": "Read notes.md; Grep notes.md; Glob .; Read S; Grep M; Glob S; Write M/team/ci.md;"
    "Edit M/MEMORY.md; Write memo/tabs.md; Bash cat notes.md",
    "ask": "Read /etc/hosts; Grep /etc/hosts; Glob /etc; Read gate.txt; Edit new.py; Write ~/x.py;"
    "Write ~/tidebook/../x; Write M/out/a.py; Send Send",
    "never": "Write base/settings.json; Write M/.memlab/journal.jsonl; Edit M/.MemLab/images/x;"
    "Write S/session-1.jsonl; Edit M-old/tabs.md; Write .memlab/x.md; Read M/.memlab;"
    "Grep M/.memlab/x; Glob M/.memlab; Edit notes.md; Bash git log; Bash cat gate.txt",
}
FORK = {
    "": "Read notes.md; Read S/s.jsonl; Grep M; Bash grep -rn a . | head -5; Write M/new.md;"
    "Edit M/MEMORY.md",
    "elsewhere": "Read /etc/passwd; Read gate.txt; Grep ~/outside; Glob ~; Bash cat gate.txt",
    "out of ": "Read ../../x; Write notes.md; Write memo/../a.md",
    "quotes|git is not": "Bash git log; Bash cat a > b",
    "no tool changes|two ways|leads": "Write M/../x.md; Edit M/out/a.md; Edit M/.memlab/x.md",
    "in the background": "Send mail; Task do it",
}


def rows(table: dict[str, str]) -> list[Any]:
    """Take a table apart: the verdict, the tool and its operand."""
    return [
        (verdict, *row.strip().split(" ", 1))
        for verdict, all_rows in table.items()
        for row in all_rows.split(";")
    ]


def given(name: str, operand: str) -> dict[str, str]:
    key = {"Bash": "command", "Grep": "path", "Glob": "path"}.get(name, "file_path")
    return {key: re.sub(r"\b[MS]\b", lambda one: SHOWN if one[0] == "M" else SESSIONS, operand)}


def decide(context: ToolContext, ask: Any, name: str, told: Any, **more: Any) -> Decision:
    async def asked() -> Decision:
        return await main_permissions(context, ask, **more)(name, told)

    return asyncio.run(asked())


@pytest.fixture
def house(house: House) -> House:
    """With a file, a folder outside, and links that lead there, into memory and out of it."""
    house.fill(tabs=note("Tabs."))
    links = (f"memo -> {house.memory}", f"base -> {house.base}", f"{house.memory}/out -> .")
    set_up(["notes.md", "../outside/code.txt", "gate.txt -> ../outside/code.txt"], house.project)
    set_up([one.replace("-> .", f"-> {house.project}") for one in links], house.project)
    (house.home / "outside" / "code.txt").write_text("CANARY\n")
    return house


@needs_links
@pytest.mark.behaviour("G5")
@pytest.mark.parametrize(("verdict", "name", "operand"), rows(MAIN))
def test_the_main_agent_asks(house: House, verdict: str, name: str, operand: str) -> None:
    asked: list[str] = []
    context, told = house.context(), given(name, operand)
    yes = decide(context, lambda question: not asked.append(question), name, told)  # type: ignore
    assert bool(yes) is (verdict != "never")
    no = decide(context, lambda question: False, name, told)
    nobody = decide(context, None, name, told)
    assert bool(no) is bool(nobody) is (verdict == "free")
    assert len(asked) == (verdict == "ask")
    if verdict == "ask":
        assert "nobody is here" in nobody.reason
        target = {"gate.txt": "~/outside/code.txt?", f"{SHOWN}/out/a.py": "~/tidebook/a.py?"}
        path = told["path" if "path" in told else "file_path"]
        assert target.get(path, operand.split("/")[-1]) in asked[0]
        assert ("That is where" in asked[0]) is (path in target)
    elif verdict == "never" and name != "Bash" and operand != "notes.md":
        assert "memlab's own record" in yes.reason
        assert not memory_permissions(context)(name, told)


@pytest.mark.behaviour("G5")
@pytest.mark.parametrize("answer", [True, False, None])
def test_a_shell_needs_a_yes(house: House, answer: bool | None) -> None:
    asked: list[str] = []

    def ask(question: str) -> bool:
        asked.append(question)
        return bool(answer)

    context, told = house.context(), {"command": "cp gate.txt /srv"}
    decision = decide(context, None if answer is None else ask, "Bash", told, shell=True)
    assert bool(decision) is bool(answer)
    assert asked == ["Run this command? cp gate.txt /srv"] * (answer is not None)


@needs_links
@pytest.mark.behaviour("H3")
@pytest.mark.parametrize(("said", "name", "operand"), rows(FORK))
def test_a_fork_reads_inside_and_writes_memories(
    house: House, said: str, name: str, operand: str
) -> None:
    context = fork_context(house.context(), who="extractor")
    decision = memory_permissions(context)(name, given(name, operand))
    assert bool(decision) is not bool(said)
    assert re.search(said, decision.reason)
    opened = replace(context, reads_anywhere=True, memory=None)
    is_read = said in ("", "elsewhere") and name not in ("Write", "Edit")
    assert bool(memory_permissions(opened)(name, given(name, operand))) is is_read


@needs_posix
@pytest.mark.behaviour("H3")
@pytest.mark.parametrize("kind", ["paths", "shell"])
def test_a_fork_and_the_attack_set(house: House, kind: str, tmp_path: Path) -> None:
    tree, wrong, plainly = load_trees()[kind], [], house.context()
    plain = tree.make(tmp_path / "plain")
    for case in load_path_cases() if kind == "paths" else load_shell_cases():
        top = tmp_path / (case.id if case.setup else "plain")
        places = tree.make(top) if case.setup else plain
        context = replace(plainly, home=places.get("HOME", top), memory=places["MEMORY"])
        if kind == "paths":
            set_up([fill(entry, places) for entry in case.setup], places["MEMORY"])
            path = fill(case.path, places)
            full = path if path.startswith(("/", "~")) else f"{context.memory}/{path}"
            made, expected = ("Write", {"file_path": full}), case.allow
        else:
            set_up(case.setup, places["PROJECT"])
            more = {"project": places["PROJECT"], "sessions": places["SESSIONS"]}
            context = replace(context, **more)
            made = "Bash", {"command": fill(case.command, places)}
            expected = case.allow and case.confined
        if memory_permissions(context)(*made).allowed is not expected and not case.get("limit"):
            wrong.append(case.id)
    # a path that nobody reads in another way, but the name of no memory
    assert wrong == (["tilde-end"] if kind == "paths" else [])


def call(
    house: House, context: ToolContext, name: str, between: Callable[[], Any] = list, **given: Any
) -> Mapping[str, Any]:
    """Make a call of a fork; ``between`` runs once it is granted."""
    allowed = memory_permissions(context)

    def permission(name: str, given: Mapping[str, Any]) -> Decision:
        decision = allowed(name, given)
        between()
        return decision

    block = {"id": "toolu_1", "name": name, "input": given}
    work = run_tool(block, standard_tools(), context, permission, house.events)
    return asyncio.run(work).result


class Shut(Access):
    def closed(self) -> Mapping[str, str]:
        return {"team": "it is switched off"}

    async def agrees(self, context: ToolContext, file: str, text: str) -> bool:
        if file == "edited.md":  # by hand, while the person thinks
            (context.memory / file).write_text("By hand.\n")  # type: ignore[operator]
        return "spaces" not in text


@needs_posix
def test_a_closed_folder_is_left_out_and_saving_may_need_a_yes(house: House) -> None:
    house.store.write_text("team/ci.md", CI)
    context = fork_context(house.context(), who="extractor")
    shut = replace(context, access=Shut())
    for name, operand in (
        ("Read", "M/team/ci.md"),
        ("Write", "M/team/x.md"),
        ("Bash", "grep -r CI M"),
    ):
        told = given(name, operand.replace("CI M", f"CI {house.memory}"))
        assert memory_permissions(context)(name, told), name
        assert "it is switched off" in memory_permissions(shut)(name, told).reason
    assert "ci.md" not in call(house, shut, "Glob", pattern="**/*.md", path=SHOWN)["content"]
    for file, told in {"ok": "Wrote", "spaces": "does not want", "edited": "not been read"}.items():
        more = {"file_path": f"{SHOWN}/{file}.md", "content": note(f"Robin wants {file}.", file)}
        assert told in call(house, shut, "Write", **more)["content"]
    assert house.files().keys() == {"edited.md", "ok.md", "tabs.md", "team/ci.md"}
    assert house.files()["edited.md"] == "By hand.\n"


@needs_links
@pytest.mark.parametrize("name", ["Read", "Read late", "Write"])
def test_a_later_link_is_not_followed(
    house: House, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.store.write_text("team/ci.md", CI)
    outside, team, read = house.home / "outside", house.memory / "team", Folder.read
    (outside / "ci.md").write_text(CI + "CANARY\n" * (name != "Write"))
    before = (outside / "ci.md").read_bytes()
    context = fork_context(house.context(), who="extractor")
    more = {"file_path": f"{SHOWN}/team/ci.md"}
    assert "CI." in call(house, context, "Read", **more)["content"]

    def swap() -> None:
        team.rename(house.home / "aside")
        team.symlink_to(outside)

    def swap_late(folder: Folder, name: str, most: int = -1) -> Found:
        swap()
        return read(folder, name, most)

    if name == "Read late":
        monkeypatch.setattr(Folder, "read", swap_late)
    more |= {"content": CI + "No.\n"} if name == "Write" else {}
    between = list if name == "Read late" else swap
    result = call(house, context, name.split()[0], between, **more)
    assert (result["is_error"], "CANARY" in result["content"]) == (True, False)
    assert (outside / "ci.md").read_bytes() == before
