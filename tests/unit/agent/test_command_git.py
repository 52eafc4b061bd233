"""Reading commands of git: off by default, and nothing that a repository says is ever run."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from memlab.agent.command_policy import is_read_only_command
from memlab.agent.fork import fork_context
from memlab.agent.permissions import memory_permissions
from memlab.agent.tool import ToolContext, ToolError
from memlab.agent.tools import find_tool, standard_tools
from tests.platforms import needs_posix
from tests.unit.agent.helpers import AgentSetup

pytestmark = needs_posix

READING = (
    "git status",
    "git status --short -- notes.md",
    "git log --oneline -n 3",
    "git log -p -1",
    "git log --format='%h %G? %GS %s' --stat",
    "git log --follow -- notes.md",
    "git show HEAD",
    "git show HEAD:notes.md",
    "git diff",
    "git diff --cached",
    "git diff HEAD~1 HEAD -- notes.md",
    "git diff HEAD -- 'secret.bin'",
)


def git(*words: str, at: Path, check: bool = True, **more: str) -> str:
    """Run the real git as a person would, with nothing of this machine's configuration."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(at.parent),
        "GIT_CONFIG_NOSYSTEM": "1",
        **{
            f"GIT_{who}_{what}": value
            for who in ("AUTHOR", "COMMITTER")
            for what, value in (
                ("NAME", "Robin"),
                ("EMAIL", "robin@example.org"),
                ("DATE", "2026-03-02T09:00:00+00:00"),
            )
        },
        **more,
    }
    done = subprocess.run(
        ["git", *words], cwd=at, env=environment, capture_output=True, text=True, check=check
    )
    return done.stdout


class Checkout:
    """A repository with two commits and a change, and forks that work in it."""

    def __init__(self, setup: AgentSetup) -> None:
        self.setup = setup
        self.top = setup.project
        self.canary = setup.home / "canary"
        setup.memory.mkdir(parents=True)
        git("init", "-q", "-b", "main", at=self.top)
        self.commit("one boat\n", "First")
        self.commit("two boats\n", "Second")
        setup.file("notes.md", "three boats\n")

    def commit(self, text: str, message: str) -> None:
        self.setup.file("notes.md", text)
        self.setup.file("secret.bin", f"binary {text}")
        git("add", ".", at=self.top)
        git("commit", "-qm", message, at=self.top)

    def fork(self, *, allowed: bool = True) -> ToolContext:
        return fork_context(replace(self.setup.context, git=allowed), who="extractor")

    def run(self, command: str, context: ToolContext | None = None) -> str:
        """What a fork gets for a command: permission first, then the tool itself."""
        context = context or self.fork()
        decision = memory_permissions(context)("Bash", {"command": command})
        if not decision:
            return f"Not allowed: {decision.reason}"
        try:
            output = find_tool("Bash", standard_tools()).run({"command": command}, context)
        except ToolError as error:
            return str(error)
        assert isinstance(output, str)
        return output

    def arm(self) -> None:
        """Make every part of the repository that can name a program touch the canary."""
        script = self.top.parent / "attack.sh"
        script.write_text(f'#!/bin/sh\necho "$0 $*" >> {self.canary}\ncat\n')
        script.chmod(0o755)
        settings = {
            "core.pager": script,
            "pager.log": script,
            "pager.diff": script,
            "core.fsmonitor": script,
            "core.editor": script,
            "core.sshCommand": script,
            "core.gitProxy": script,
            "core.askPass": script,
            "core.alternateRefsCommand": script,
            "core.hooksPath": self.top / "hooks",
            "credential.helper": script,
            "diff.external": script,
            "diff.evil.command": script,
            "diff.evil.textconv": script,
            "filter.evil.clean": script,
            "filter.evil.smudge": script,
            "filter.evil.required": "true",
            "interactive.diffFilter": script,
            "log.showSignature": "true",
            "gpg.program": script,
            "gpg.ssh.program": script,
            "gpg.format": "openpgp",
            "alias.log": f"!{script}",
            "alias.status": f"!{script}",
            "remote.origin.url": f"ext::{script}",
            "remote.origin.promisor": "true",
            "protocol.ext.allow": "always",
            "include.path": self.top / "included",
        }
        (self.top / "included").write_text(f"[diff]\n\texternal = {script}\n")
        (self.top / ".gitattributes").write_text("* diff=evil filter=evil\n")
        config = self.top / ".git" / "config"
        for key, value in settings.items():
            git("config", "--file", str(config), key, str(value), at=self.top)
        for folder in (self.top / "hooks", self.top / ".git" / "hooks"):
            folder.mkdir(exist_ok=True)
            for hook in ("post-index-change", "fsmonitor-watchman", "pre-commit", "query-watchman"):
                shutil.copy(script, folder / hook)


@pytest.fixture
def checkout(setup: AgentSetup) -> Checkout:
    return Checkout(setup)


def test_git_is_refused_unless_it_is_switched_on(checkout: Checkout) -> None:
    for command in READING:
        answer = checkout.run(command, checkout.fork(allowed=False))
        assert answer.startswith("Not allowed: The programs that may run are ls, find"), command


def test_a_fork_reads_the_history_the_changes_and_the_state(checkout: Checkout) -> None:
    assert [line.split()[1] for line in checkout.run("git log --oneline").splitlines()] == [
        "Second",
        "First",
    ]
    assert checkout.run("git show HEAD~1:notes.md") == "one boat"
    assert checkout.run("git status --short") == " M notes.md"
    changed = checkout.run("git diff -- notes.md | grep boats")
    assert changed.splitlines() == ["-two boats", "+three boats"]
    assert "notes.md   | 2 +-" in checkout.run("git show --stat HEAD")
    assert checkout.run("git log -1 -n 1 --format=%an") == "Robin"
    assert (checkout.top / ".git" / "index").exists()


@pytest.mark.behaviour("H4")
@pytest.mark.parametrize("command", READING)
def test_nothing_that_a_hostile_repository_names_is_run(checkout: Checkout, command: str) -> None:
    checkout.arm()
    answer = checkout.run(command)
    assert not answer.startswith("Not allowed"), answer
    assert not checkout.canary.exists(), checkout.canary.read_text()


@pytest.mark.parametrize(
    "words", [("status",), ("diff",), ("log", "-p"), ("-c", "core.pager=cat", "-p", "show")]
)
def test_the_same_repository_runs_its_programs_where_git_believes_it(
    checkout: Checkout, words: Sequence[str]
) -> None:
    # else the test above could not fail
    checkout.arm()
    git(*words, at=checkout.top, check=False)
    assert checkout.canary.exists()


def test_variables_that_name_programs_do_not_reach_git(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout.arm()
    script = str(checkout.top.parent / "attack.sh")
    for name in ("GIT_EXTERNAL_DIFF", "GIT_PAGER", "PAGER", "GIT_SSH_COMMAND", "GIT_ASKPASS"):
        monkeypatch.setenv(name, script)
    checkout.run("git diff")
    checkout.run("git log -p")
    assert not checkout.canary.exists()


@pytest.mark.parametrize(
    "command",
    [
        "git",
        "git commit -m x",
        "git -c core.pager=x log",
        "git -C /etc log",
        "git --git-dir=/x log",
        "git --exec-path=/tmp log",
        "git config -l",
        "git diff --output=x",
        "git diff --outp=x",
        "git diff --no-index /etc/passwd notes.md",
        "git diff --ext-diff",
        "git log --textconv",
        "git log --show-signature",
        "git log -pn --output=x",
        "git log -n --output=x",
        "git log -S --output=x",
        "git log -O/etc/passwd",
        "git log --stdin",
        "git log -",
        "git status notes.md",
        "git diff --submodule=log",
        "git show --output-indicator-new=x",
    ],
)
def test_other_commands_and_options_of_git_are_refused(command: str) -> None:
    assert not is_read_only_command(command, git=True), command


@pytest.mark.behaviour("H5")
def test_files_elsewhere_cannot_be_compared(checkout: Checkout) -> None:
    outside = checkout.setup.home / "code.txt"
    outside.write_text("CANARY\n")
    assert "leads elsewhere" in checkout.run("git diff -- ../code.txt notes.md")
    assert "CANARY" not in checkout.run("git diff ../code.txt notes.md")

    git("config", "core.worktree", str(checkout.setup.home), at=checkout.top)
    (checkout.top / "link").symlink_to(outside)
    git("--work-tree", str(checkout.top), "add", "link", at=checkout.top)
    for command in ("git diff", "git diff HEAD", "git status --short", "git diff -- link"):
        assert "CANARY" not in checkout.run(command)


def test_an_index_that_names_a_file_elsewhere_is_refused(checkout: Checkout) -> None:
    outside = checkout.setup.home / "boats.m"
    outside.write_text("CANARY\n")
    index = checkout.top / ".git" / "index"
    # a name of the same length; git does not compare the checksum
    data = index.read_bytes()[:-20].replace(b"secret.bin", b"../boats.m")
    index.write_bytes(data + bytes(20))
    answer = checkout.run("git diff")
    assert "names a file outside" in answer
    assert "CANARY" not in answer
    assert "CANARY" in git("diff", at=checkout.top, check=False)  # so the attack is a real one


@pytest.mark.parametrize("part", ["HEAD", "refs", "objects", "objects/pack", "refs/heads", "index"])
def test_a_git_directory_that_borrows_another_history_is_refused(
    checkout: Checkout, part: str
) -> None:
    other = checkout.setup.home / "other"
    other.mkdir()
    git("init", "-q", "-b", "main", at=other)
    (other / "private.md").write_text("CANARY\n")
    git("add", ".", at=other)
    git("commit", "-qm", "CANARY", at=other)
    mine = checkout.top / ".git" / part
    if mine.is_dir():
        shutil.rmtree(mine)
    else:
        mine.unlink()
    mine.symlink_to(other / ".git" / part)
    answer = checkout.run("git log -p --all")
    assert "git cannot be used here" in answer
    assert "CANARY" not in answer


def test_parts_that_never_end_are_not_waited_for(checkout: Checkout) -> None:
    with (checkout.top / ".git" / "index").open("r+b") as index:
        index.truncate(10**10)
    assert "the index is too large" in checkout.run("git status")
    (checkout.top / ".git" / "HEAD").unlink()
    os.mkfifo(checkout.top / ".git" / "HEAD")
    checkout.run("git log")


def test_a_git_file_that_leads_to_another_repository_is_refused(checkout: Checkout) -> None:
    other = checkout.setup.home / "other"
    other.mkdir()
    git("init", "-q", at=other)
    shutil.rmtree(checkout.top / ".git")
    (checkout.top / ".git").write_text(f"gitdir: {other / '.git'}\n")
    assert "git cannot be used here" in checkout.run("git log")


def test_objects_of_another_repository_are_refused(checkout: Checkout) -> None:
    (checkout.top / ".git/objects/info").mkdir(exist_ok=True)
    (checkout.top / ".git/objects/info/alternates").write_text("/srv/git/objects\n")
    assert "borrows objects" in checkout.run("git log")


def test_a_worktree_shows_its_own_branch(checkout: Checkout) -> None:
    tree = checkout.setup.home / "tree"
    git("worktree", "add", "-q", "-b", "side", str(tree), at=checkout.top)
    (tree / "side.md").write_text("side\n")
    git("add", ".", at=tree)
    git("commit", "-qm", "Side", at=tree)
    context = replace(checkout.setup.context, project=tree, git=True)
    shown = checkout.run("git log --oneline main..HEAD", fork_context(context, who="x"))
    assert shown.split()[1:] == ["Side"]
    assert checkout.run("git status", fork_context(context, who="x")).startswith("On branch side")


def test_outside_a_repository_git_says_so(setup: AgentSetup) -> None:
    context = fork_context(replace(setup.context, git=True), who="x")
    with pytest.raises(ToolError, match="there is no repository"):
        find_tool("Bash", standard_tools()).run({"command": "git log"}, context)


def test_a_memory_directory_in_the_repository_keeps_what_was_forgotten(
    checkout: Checkout,
) -> None:
    inside = checkout.top / "memory"
    (inside / ".memlab").mkdir(parents=True)
    context = replace(checkout.setup.context, memory=inside, git=True)
    assert "forgotten" in checkout.run("git log -p", fork_context(context, who="x"))


def test_nothing_of_the_repository_is_changed(checkout: Checkout) -> None:
    def state() -> dict[str, tuple[int, int]]:
        return {
            str(path): (path.stat().st_mtime_ns, path.stat().st_size)
            for path in (checkout.top / ".git").rglob("*")
        }

    os.utime(checkout.top / "secret.bin", (1, 1))  # git would refresh its index
    before = state()
    for command in READING:
        checkout.run(command)
    assert state() == before
