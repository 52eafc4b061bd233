"""A repository reaches nothing outside its folder unless the person says yes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memlab.evals.attacks import set_up
from memlab.harness import Harness
from tests.house import SHOWN, House, note, results, talk, use, writes
from tests.platforms import needs_links

pytestmark = needs_links
SECRET = "the key of the boat house"
COMMANDS = ("cat key.txt", "cat docs/*", "ls docs/")
GREP = {"pattern": "key", "output_mode": "content"}
PATHS = ("~/.ssh/id_rsa", "key.txt", "docs/id_rsa")
OUTSIDE = [use("Read", file_path=one) for one in PATHS]
OUTSIDE += [use("Grep", path=one, **GREP) for one in ("~/.ssh", "docs", "key.txt")]
OUTSIDE += [use("Glob", pattern="*", path="docs")]
OUTSIDE += [use("Bash", command=one) for one in COMMANDS]
INSIDE = [use("Read", file_path="CLAUDE.md"), writes("t.md", note("x"))]
INSIDE += [use("Grep", pattern=".", glob="**/*", output_mode="content")]


@pytest.fixture
def house(house: House) -> House:
    links = ("docs -> ../.ssh", "key.txt -> ../.ssh/id_rsa", "CLAUDE.md -> AGENTS.md")
    set_up(("../.ssh/id_rsa", "AGENTS.md", *links), house.project)
    (house.home / ".ssh" / "id_rsa").write_text(SECRET + "\n")
    return house


def called(harness: Harness, house: House, *calls: Any) -> list[Any]:
    """Have the main agent make these calls in one turn, and give their results."""
    house.answers("main", list(calls), "Done.")
    talk(harness, "Look.")
    return results(harness.agent)[-len(calls) :]


@pytest.mark.behaviour("G5")
@pytest.mark.parametrize("answer", [True, False, None])
def test_what_leads_outside_is_asked_for(house: House, answer: bool | None) -> None:
    asked: Any = []
    ask = None if answer is None else lambda text: asked.append(text) or answer
    harness = house.harness(ask=ask)
    shown = called(harness, house, *OUTSIDE)
    refused = [one.get("is_error", False) for one in shown]
    assert refused == [not answer] * 7 + [True] * 3
    assert ["~/.ssh" in one for one in asked] == [True] * (0 if answer is None else 7)
    assert (SECRET in str(shown[:7]), SECRET in str(shown[7:])) == (bool(answer), False)
    asked.clear()
    shown = called(harness, house, *INSIDE, use("Read", file_path="~/../x.txt"))
    assert [one.get("is_error", False) for one in shown] == [False] * 3 + [True]
    assert (asked, SECRET in str(shown)) == ([], False)


@pytest.mark.parametrize("name", ["Write", "Edit"])
def test_what_changes_meanwhile_leads_nowhere(house: House, name: str) -> None:
    docs, ssh = house.project / "docs", house.home / ".ssh"
    docs.unlink()
    set_up(["docs/a.md", "../.ssh/a.md"], house.project)

    def turn(question: str) -> bool:
        docs.rename(house.project / "aside")
        docs.symlink_to(ssh)
        return True

    edit = {"old_string": "case", "new_string": "x"}
    more = edit if name == "Edit" else {"content": "x"}
    it = {"file_path": "docs/a.md"}
    calls = [use("Read", **it), use(name, **it, **more)]
    assert called(house.harness(ask=turn), house, *calls)[-1]["is_error"]
    assert (ssh / "a.md").read_text() == "made for this case\n"


def test_a_question_names_the_real_target(house: House) -> None:
    (house.project / "memo").symlink_to(house.memory)
    asked: list[str] = []
    harness = house.harness(ask=asked.append, saving="ask")
    for path in ("docs/authorized_keys", "memo/tabs.md"):
        called(harness, house, use("Write", file_path=path, content=note("Tabs.")))
    first = [one.split("?")[0] for one in asked]
    assert first == ["Write ~/.ssh/authorized_keys", f"Save this as {SHOWN}/tabs.md"]


@pytest.mark.parametrize("kind", ["outside", "inside", "large"])
def test_no_file_in_the_prompt_leads_outside(house: House, kind: str) -> None:
    lines = 7_000 if kind == "large" else 1
    (house.project / "AGENTS.md").write_text("Use tabs.\n" * lines)
    house.memory.mkdir(parents=True)
    index, rules = house.memory / "MEMORY.md", house.project / "CLAUDE.md"
    if kind == "outside":
        rules.unlink()
        for file in (rules, index):
            file.symlink_to(house.home / ".ssh" / "id_rsa")
    elif kind == "large":
        index.touch()
        os.truncate(index, 2_000_000_000)
    harness = house.harness()
    talk(harness, "Hello.")
    told, shown = str(harness.notices), str(house.sent()[-1]["system"])
    counts = {"outside": 0, "large": 6_400, "inside": 1}
    assert (SECRET in shown, shown.count("Use tabs.")) == (False, counts[kind])
    named = {"outside": "~/.ssh/id_rsa", "large": "64,000 bytes"}.get(kind, "")
    assert (named in told, "MEMORY.md" in told) == (True, bool(named))


@pytest.mark.slow
def test_what_is_no_regular_file_is_not_read(tmp_path: Path) -> None:
    """In a process with limits: a naive reader would wait forever, or take all memory."""
    homes: list[str] = []
    for kind in (" |", "/", " -> /dev/zero"):
        for file in ("CLAUDE.md", "MEMORY.md"):
            made = House(tmp_path / f"{file}{len(homes)}")
            made.memory.mkdir(parents=True)
            set_up([file + kind], made.project if file == "CLAUDE.md" else made.memory)
            homes.append(str(made.home))
    script = """import resource, sys
from tests.house import House, Path
resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))
for home in sys.argv[1:]: print(House(Path(home)).harness('x').notices)"""
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", script, *homes]
    ran = subprocess.check_output(command, text=True, timeout=600, env=env)
    says = ["was left out: ", "so it was built again from"] * 3
    told = zip(says, ran.splitlines(), strict=True)
    assert [one in line for one, line in told] == [True] * 6
