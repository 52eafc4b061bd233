"""What the main agent and a fork may do, and that what was granted is what is opened."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memlab.agent.fork import fork_context
from memlab.agent.permissions import Ask, Decision, main_permissions, memory_permissions
from memlab.agent.tool import Access, Tool, ToolContext
from memlab.agent.tools import run_tool, standard_tools
from memlab.evals.attacks import fill, load_path_cases, load_shell_cases, load_trees, set_up
from memlab.events import ToolDenied
from memlab.memdir.folder import Folder, Found
from tests.house import SHOWN, House, note
from tests.platforms import needs_links, needs_posix

SESSIONS = SHOWN.removesuffix("/memory")
CI = note("CI.", "CI", "reference")
YES, NO = (lambda question: True), (lambda question: False)


def decide(context: ToolContext, name: str, ask: Ask | None, given: Any, **more: Any) -> Decision:
    async def asked() -> Decision:
        return await main_permissions(context, ask, **more)(name, given)

    return asyncio.run(asked())


@pytest.fixture
def house(house: House) -> House:
    """With a file, a folder outside, and links that lead there, into memory and out of it."""
    (house.project / "notes.md").write_text("total: 14 boats\n")
    house.fill(tabs=note("Tabs."))
    (house.home / "outside").mkdir()
    (house.home / "outside" / "code.txt").write_text("CANARY\n")
    links = ["gate.txt -> ../outside/code.txt", f"memo -> {house.memory}", f"base -> {house.base}"]
    set_up([*links, f"{house.memory}/out -> {house.project}"], house.project)
    return house


@needs_links
@pytest.mark.behaviour("G5")
@pytest.mark.parametrize(
    ("name", "path", "free", "asked"),
    [
        *((name, "notes.md", True, "") for name in ("Read", "Grep", "Glob")),
        *((name, SESSIONS, True, "") for name in ("Read", "Grep", "Glob")),
        *((name, "/etc/hosts", False, "/etc/hosts?") for name in ("Read", "Grep", "Glob")),
        ("Read", "gate.txt", False, "~/outside/code.txt? That is where ~/tidebook/gate.txt"),
        *((name, f"{SHOWN}/team/ci.md", True, "") for name in ("Edit", "Write")),
        *((name, "new.py", False, "~/tidebook/new.py?") for name in ("Edit", "Write")),
        ("Write", "memo/tabs.md", True, ""),
        ("Write", "~/tidebook/../x", False, "~/x?"),
        ("Write", f"{SHOWN}/out/a.py", False, "~/tidebook/a.py? That is where"),
        # it has not been read, so there is nothing to ask
        ("Edit", "notes.md", False, None),
        # memlab's own records
        ("Write", "base/settings.json", False, None),
        ("Write", f"{SHOWN}/.memlab/journal.jsonl", False, None),
        ("Edit", f"{SHOWN}/.MemLab/images/x", False, None),
        ("Write", f"{SESSIONS}/session-1.jsonl", False, None),
        ("Edit", f"{SHOWN}-old/tabs.md", False, None),
        ("Write", "~/tidebook/.memlab/x.md", False, None),
        *((name, f"{SHOWN}/.memlab", False, None) for name in ("Read", "Grep", "Glob")),
        ("mcp__mail__send", "", False, "mcp__mail__send?"),
    ],
)
def test_the_main_agent_asks_for_what_is_outside_and_nobody_opens_the_records(
    house: House, name: str, path: str, free: bool, asked: str | None
) -> None:
    questions: list[str] = []
    given = {"path" if name in ("Grep", "Glob") else "file_path": path}

    def ask(question: str) -> bool:
        questions.append(question)
        return True

    yes = decide(house.context(), name, ask, given)
    assert bool(yes) is (asked is not None)
    assert bool(decide(house.context(), name, NO, given)) is free
    nobody = decide(house.context(), name, None, given)
    assert bool(nobody) is free
    assert free or asked is None or "nobody is here" in nobody.reason
    assert [asked in one for one in questions if asked] == [True] * bool(asked)
    if asked is None and "notes" not in path:
        assert "memlab's own record" in yes.reason
        assert not memory_permissions(house.context())(name, given)


@needs_posix
@pytest.mark.behaviour("G5")
@pytest.mark.parametrize(
    ("command", "shell", "ask", "allowed"),
    [
        ("cat notes.md", False, None, True),
        ("git log", False, YES, False),
        ("cat gate.txt", False, YES, False),
        ("git log", True, YES, True),
        ("git log", True, NO, False),
        ("git log", True, None, False),
    ],
)
def test_what_only_reads_runs_and_all_else_needs_a_shell_and_a_yes(
    house: House, command: str, shell: bool, ask: Ask | None, allowed: bool
) -> None:
    decision = decide(house.context(), "Bash", ask, {"command": command}, shell=shell)
    assert bool(decision) is allowed


@needs_links
@pytest.mark.behaviour("H3")
@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("Read", "notes.md", ""),
        ("Read", f"{SESSIONS}/session-1.jsonl", ""),
        ("Grep", SHOWN, ""),
        ("Bash", "grep -rn total . | head -5", ""),
        ("Write", f"{SHOWN}/new.md", ""),
        ("Edit", f"{SHOWN}/MEMORY.md", ""),
        ("Read", "/etc/passwd", "Read in the project, the memory directory"),
        ("Read", "gate.txt", "elsewhere"),
        ("Read", "../../x", "out of ~"),
        ("Grep", "~/outside", "elsewhere"),
        ("Glob", "~", "elsewhere"),
        ("Bash", "cat gate.txt", "elsewhere"),
        ("Bash", "git log", "git is not"),
        ("Bash", "cat a > b", "single quotes"),
        ("Write", "notes.md", "out of the memory directory"),
        ("Edit", f"{SHOWN}/out/a.md", ""),
        ("Write", f"{SHOWN}/../x.md", "no tool changes"),
        ("mcp__mail__send", "", "in the background"),
        ("Task", "", "in the background"),
    ],
)
def test_a_fork_reads_inside_writes_memories_and_nothing_else(
    house: House, name: str, given: str, said: str
) -> None:
    context = fork_context(house.context(), who="extractor")
    key = {"Bash": "command", "Grep": "path", "Glob": "path"}.get(name, "file_path")
    decision = memory_permissions(context)(name, {key: given})
    is_out = "/out/" in given  # a link in memory that leads out of it
    assert bool(decision) is not (bool(said) or is_out)
    assert said in decision.reason
    opened = replace(context, reads_anywhere=True)
    if said == "elsewhere":
        assert memory_permissions(opened)(name, {key: given})
    nowhere = memory_permissions(replace(opened, memory=None))
    assert not nowhere("Write", {"file_path": "tabs.md"})


@needs_posix
@pytest.mark.behaviour("H3")
def test_a_fork_is_judged_rightly_on_every_path_and_command_of_the_attack_set(
    house: House, tmp_path: Path
) -> None:
    context = house.context()
    wrong, trees = [], load_trees()
    plain = {kind: trees[kind].make(tmp_path / kind) for kind in ("paths", "shell")}
    for kind, cases in {"paths": load_path_cases(), "shell": load_shell_cases()}.items():
        for case in cases:
            places, top = plain[kind], tmp_path / kind
            if case.setup:
                top = tmp_path / kind / case.id
                places = trees[kind].make(top)
                base = places["MEMORY" if kind == "paths" else "PROJECT"]
                set_up([fill(entry, places) for entry in case.setup], base)
            given = {"command": fill(case.get("command", ""), places)}
            memory, path = places["MEMORY"], fill(case.get("path", ""), places)
            is_full = path.startswith(("/", "~"))
            given["file_path"] = path if is_full else f"{memory}/{path}"
            more = (
                {"project": places["PROJECT"], "sessions": places["SESSIONS"]}
                if kind == "shell"
                else {}
            )
            within = replace(context, memory=memory, home=places.get("HOME", top), **more)
            name = "Write" if kind == "paths" else "Bash"
            is_right = memory_permissions(within)(name, given).allowed is (
                case.allow and case.get("confined", True)
            )
            wrong += [] if is_right or case.get("limit") else [case.id]
    # a path that nobody reads in another way, but the name of no memory
    assert wrong == ["tilde-end"]


def call(
    house: House, context: ToolContext, name: str, between: Callable[[], Any] = list, **given: Any
) -> Mapping[str, Any]:
    """Make a call of a fork; ``between`` runs once it is granted."""
    allowed = memory_permissions(context)

    def permission(name: str, given: Mapping[str, Any]) -> Decision:
        decision = allowed(name, given)
        between()
        return decision

    mail = Tool("mcp__mail__send", "Send.", {}, lambda given, context: 1 / 0)
    block = {"id": "toolu_1", "name": name, "input": given}
    work = run_tool(block, (*standard_tools(), mail), context, permission, house.events)
    return asyncio.run(work).result


@pytest.mark.behaviour("H2", "H3")
def test_a_refusal_is_a_result_that_the_model_reads_and_an_event(house: House) -> None:
    context = fork_context(house.context(), who="extractor")
    for name, given in {"mcp__mail__send": {}, "Read": {"file_path": "~/outside/code.txt"}}.items():
        refused = call(house, context, name, **given)
        assert refused["is_error"]
        assert refused["content"].startswith("Not allowed: ")
        assert str(house.home) not in refused["content"]
    assert len(house.events.of(ToolDenied)) == 2


class Shut(Access):
    def closed(self) -> Mapping[str, str]:
        return {"team": "it is switched off"}

    async def agrees(self, context: ToolContext, file: str, text: str) -> bool:
        if file == "edited.md":  # by hand, while the person thinks
            (context.memory / file).write_text("By hand.\n")  # type: ignore[operator]
        return "spaces" not in text


@needs_posix
def test_a_closed_folder_is_left_out_and_the_person_may_be_asked_before_saving(
    house: House,
) -> None:
    house.store.write_text("team/ci.md", CI)
    context = fork_context(house.context(), who="extractor")
    shut = replace(context, access=Shut())
    for name, given in {
        "Read": {"file_path": f"{SHOWN}/team/ci.md"},
        "Write": {"file_path": f"{SHOWN}/team/new.md"},
        "Bash": {"command": f"grep -r CI {house.memory}"},
    }.items():
        assert memory_permissions(context)(name, given), name
        assert "it is switched off" in memory_permissions(shut)(name, given).reason
    assert "ci.md" not in call(house, shut, "Glob", pattern="**/*.md", path=SHOWN)["content"]
    new = {"ok.md": "Wrote", "spaces.md": "does not want", "edited.md": "has not been read"}
    for file, told in new.items():
        text = note(f"Robin wants {file}.", file)
        assert (
            told in call(house, shut, "Write", file_path=f"{SHOWN}/{file}", content=text)["content"]
        )
    assert house.files().keys() == {"edited.md", "ok.md", "tabs.md", "team/ci.md"}
    assert house.files()["edited.md"] == "By hand.\n"


@needs_links
@pytest.mark.parametrize("name", ["Read", "Read late", "Write", "Edit"])
def test_a_folder_that_becomes_a_link_after_the_check_is_not_followed(
    house: House, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.store.write_text("team/ci.md", CI)
    outside, team = house.home / "outside", house.memory / "team"
    (outside / "ci.md").write_text(CI + "CANARY\n" * name.startswith("Read"))
    before = (outside / "ci.md").read_bytes()
    context = fork_context(house.context(), who="extractor")
    path, read = f"{SHOWN}/team/ci.md", Folder.read
    assert "CI." in call(house, context, "Read", file_path=path)["content"]

    def swap() -> None:
        team.rename(house.home / "aside")
        team.symlink_to(outside)

    def swap_late(folder: Folder, name: str, most: int = -1) -> Found:
        swap()
        return read(folder, name, most)

    if name == "Read late":
        monkeypatch.setattr(Folder, "read", swap_late)
    given = {
        "Write": {"content": CI.replace("\nCI.", "\nNo CI.")},
        "Edit": {"old_string": "CI.\n"},
    }.get(name, {})
    given |= {"new_string": "No CI.\n"} if name == "Edit" else {}
    between = list if name == "Read late" else swap
    result = call(house, context, name.split()[0], between, file_path=path, **given)
    assert (result["is_error"], "CANARY" in result["content"]) == (True, False)
    assert (outside / "ci.md").read_bytes() == before
    assert sorted(one.name for one in outside.iterdir()) == ["ci.md", "code.txt"]
