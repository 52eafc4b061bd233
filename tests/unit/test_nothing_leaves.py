"""A repository reaches nothing outside its folder unless the person says yes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memlab.evals.attacks import set_up
from memlab.harness import Harness, HarnessOptions
from memlab.memdir.places import Where
from tests.house import SHOWN, House, note, results, talk, use, words, writes
from tests.platforms import needs_links

pytestmark = needs_links
SECRET = "the key of the boat house"
ROOT = Path(__file__).parents[2]
OUTSIDE = [
    *(use("Read", file_path=path) for path in ("~/.ssh/id_rsa", "key.txt", "docs/id_rsa")),
    *(
        use("Grep", pattern="key", path=path, output_mode="content")
        for path in ("~/.ssh", "docs", "key.txt")
    ),
    use("Glob", pattern="*", path="docs"),
]
COMMANDS = [use("Bash", command=one) for one in ("cat key.txt", "cat docs/*", "ls notes.md docs/")]


@pytest.fixture
def house(house: House) -> House:
    links = ("docs -> ../.ssh", "key.txt -> ../.ssh/id_rsa", "CLAUDE.md -> AGENTS.md")
    set_up(("../.ssh/id_rsa", "notes.md", "AGENTS.md", *links), house.project)
    (house.home / ".ssh" / "id_rsa").write_text(SECRET + "\n")
    (house.project / "notes.md").write_text("14 boats\n")
    return house


def called(harness: Harness, house: House, *calls: Any) -> list[Any]:
    """Have the main agent make these calls in one turn, and give their results."""
    house.answers("main", list(calls), "Done.")
    talk(harness, "Look.")
    return results(harness.agent)


@pytest.mark.behaviour("G5")
def test_what_leads_outside_is_shown_only_after_a_yes_to_each_call(house: House) -> None:
    asked: list[str] = []
    yes = house.harness("yes", ask=lambda question: not asked.append(question))  # type: ignore
    shown = called(yes, house, *OUTSIDE, *COMMANDS)
    assert [one.get("is_error", False) for one in shown] == [False] * 7 + [True] * 3
    assert all(SECRET in one["content"] or "id_rsa" in one["content"] for one in shown[:7])
    assert ["~/.ssh" in question for question in asked] == [True] * 7
    assert all("elsewhere" in one["content"] for one in shown[7:])
    for ask in (None, lambda question: False):
        shown = called(house.harness(ask=ask), house, *OUTSIDE, *COMMANDS)
        assert [one["is_error"] for one in shown] == [True] * 10
        assert SECRET not in str(shown)
    asked.clear()
    inside = [
        use("Read", file_path="CLAUDE.md"),
        use("Bash", command="ls"),
        writes("t.md", note("x")),
    ]
    everything = use("Grep", pattern=".", glob="**/*", output_mode="content")
    shown = called(yes, house, *inside, everything)[10:]
    assert [one.get("is_error", False) for one in shown] == [False] * 4
    assert (asked, SECRET in shown[3]["content"]) == ([], False)
    outside = [use("Read", file_path=path) for path in ("../../x.txt", "~/../x.txt")]
    assert all("leads out of ~" in one["content"] for one in called(yes, house, *outside)[14:])


@pytest.mark.parametrize("name", ["Write", "Edit", "Gone"])
def test_what_changes_while_the_person_thinks_leads_nowhere(house: House, name: str) -> None:
    docs, ssh = house.project / "docs", house.home / ".ssh"
    docs.unlink()
    set_up(["docs/a.md", "../.ssh/a.md"], house.project)

    def turn(question: str) -> bool:
        docs.rename(house.project / "aside")
        docs.symlink_to(ssh)
        return True

    harness = house.harness(ask=turn)
    if name == "Gone":  # not asked about, as nobody has read it; then it is gone
        permission = harness.agent.permission

        async def then_gone(name: str, given: Any) -> Any:
            decision = await permission(name, given)  # type: ignore[misc]
            (docs / "a.md").unlink()
            return decision

        harness.agent.permission = then_gone
    more = {"old_string": "case", "new_string": "x"} if name == "Edit" else {"content": "two\n"}
    change = use(name.replace("Gone", "Write"), file_path="docs/a.md", **more)
    called(harness, house, *([use("Read", file_path="docs/a.md")] * (name != "Gone")), change)
    assert results(harness.agent)[-1]["is_error"]
    assert (ssh / "a.md").read_text() == "made for this case\n"
    assert (docs / "a.md").exists() is (name != "Gone")


def test_a_question_names_the_real_target(house: House) -> None:
    (house.project / "memo").symlink_to(house.memory)
    asked: list[str] = []
    ask = lambda question: not asked.append(question)  # type: ignore # noqa: E731
    harness = house.harness(ask=ask, saving="ask")
    paths = {"docs/authorized_keys": "theirs\n", "memo/tabs.md": note("Tabs.")}
    called(harness, house, *(use("Write", file_path=p, content=t) for p, t in paths.items()))
    assert asked[0].startswith("Write ~/.ssh/authorized_keys?")
    assert "~/tidebook/docs/authorized_keys" in asked[0]
    assert (house.home / ".ssh" / "authorized_keys").read_text() == "theirs\n"
    assert asked[1].startswith(f"Save this as {SHOWN}/tabs.md?")
    assert house.files().keys() == {"tabs.md"}


@pytest.mark.parametrize("kind", ["outside", "inside", "large"])
def test_of_the_files_in_the_prompt_none_leads_outside_or_is_endless(
    house: House, kind: str
) -> None:
    (house.project / "AGENTS.md").write_text("Use tabs.\n" * (7_000 if kind == "large" else 1))
    house.memory.mkdir(parents=True)
    index, rules = house.memory / "MEMORY.md", house.project / "CLAUDE.md"
    if kind == "outside":
        rules.unlink()
        for file in (rules, index):
            file.symlink_to(house.home / ".ssh" / "id_rsa")
    elif kind != "inside":
        index.touch()
        os.truncate(index, 2_000_000_000)
    harness = house.harness()
    talk(harness, "Hello.")
    told, shown = "\n".join(harness.notices), str(house.sent()[-1]["system"])
    assert SECRET not in shown
    assert shown.count("Use tabs.") == {"outside": 0, "large": 6_400}.get(kind, 1)
    named = {"outside": "~/.ssh/id_rsa", "large": "64,000 bytes"}.get(kind, "")
    assert (named in told, "CLAUDE.md" in told) == (True, bool(named))
    assert ("MEMORY.md" in told) is (kind != "inside")
    assert kind != "large" or "1,000,000 bytes" in told


@pytest.mark.slow
def test_what_is_no_regular_file_is_not_read(tmp_path: Path) -> None:
    """In one process with limits: a naive reader would wait forever, or take all memory."""
    homes = []
    for kind in (" |", "/", " -> /dev/zero"):
        for file in ("CLAUDE.md", "MEMORY.md"):
            made = House(tmp_path / f"{file}{len(homes)}")
            made.memory.mkdir(parents=True)
            set_up([file + kind], made.project if file == "CLAUDE.md" else made.memory)
            homes.append(str(made.home))
    script = (
        "import resource, sys; from pathlib import Path; from tests.house import House\n"
        "resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))\n"
        "for home in sys.argv[1:]: print(House(Path(home)).harness('limits').notices, flush=True)\n"
    )
    command, path = [sys.executable, "-c", script, *homes], {"PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        command, capture_output=True, text=True, timeout=600, env=os.environ | path
    )
    says = ["was left out: ", "so it was built again from"] * 3
    told = [say in line for say, line in zip(says, ran.stdout.splitlines(), strict=True)]
    assert told == [True] * 6, ran.stderr[-500:]


@pytest.mark.parametrize("told", ["", "/home/robin"])
def test_a_project_outside_the_home_works_as_any(house: House, told: str) -> None:
    project = house.home.parent / "srv" / "app"
    set_up(["notes.md"], project)
    where = Where(house.home, told)
    more = {"where": where, "environ": {}, "ask": lambda question: True}
    harness = Harness(project, HarnessOptions(runtime=house.runtime(), base=house.base, **more))
    calls = [use("Read", file_path="../app/notes.md"), use("Bash", command="cat notes.md")]
    new = use("Write", file_path="new.md", content="new\n")
    shown = called(harness, house, *calls, use("Glob", pattern="*.md", path="."), new)
    assert [one["content"] for one in shown if one.get("is_error")] == []
    assert "made for this" in words(harness.agent.messages[2])
    assert (project / "new.md").read_text() == "new\n"
    assert harness.agent.transcript
    assert f'"{project}"' in harness.agent.transcript.path.read_text()
