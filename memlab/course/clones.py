"""Two people's clones of one shared repository, made and used with real git.

What git prints, and the names that it gives to commits, depend on its
configuration, on the language and on the time. So every command here gets an
environment of its own: no configuration of the person or of the machine,
English, and the course clock's time.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

from memlab.clock import Clock
from memlab.course.lab import Lab
from memlab.errors import CourseError
from memlab.harness import Harness, HarnessOptions
from memlab.memdir.folder import Folder
from memlab.memdir.places import TEAM, Where, memory_paths
from memlab.memdir.store import MemoryStore
from memlab.memdir.toggles import Toggles

MISSING = "Install it from git-scm.com, restart the kernel, and begin again"
_MINUTE = 60.0
_CONFIG = (
    "core.autocrlf=false",
    "core.hooksPath=" + os.devnull,
    "core.fsmonitor=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "merge.conflictStyle=merge",
    "merge.renames=false",
    "advice.mergeConflict=false",
)


@dataclass(frozen=True)
class Clone:
    """One person's clone of the shared repository."""

    person: str
    folder: Path
    clock: Clock

    def git(self, *words: str, stops: bool = False) -> str:
        """Run git in the clone and return what it printed. ``stops``: it may
        end with an error, as a merge with conflicts does.

        Raises CourseError for any other error.
        """
        settings = [part for value in _CONFIG for part in ("-c", value)]
        done = subprocess.run(
            [_program(), *settings, *words],
            cwd=self.folder,
            env=_environment(
                self.folder, self.person, self.clock.now().timestamp()
            ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        )
        if done.returncode and not stops:
            raise CourseError(
                f"git ended with an error: {done.stdout.strip()}",
                where=f"git {' '.join(words)}",
            )
        return done.stdout.rstrip()

    def read(self, file: str) -> str:
        """Return the text of a file."""
        return (self.folder / file).read_text("utf-8")

    def write(self, file: str, text: str) -> None:
        """Write a file by hand, as an editor does."""
        (self.folder / file).write_bytes(text.encode())

    def replace(self, file: str, old: str, new: str) -> None:
        """Replace some words of a file by hand; raises CourseError if they
        are not in it.
        """
        text = self.read(file)
        if old not in text:
            raise CourseError(f"does not contain {old!r}", where=file)
        self.write(file, text.replace(old, new))

    def commit(self, message: str) -> None:
        """Commit everything that has changed, as `git add -A` and `git
        commit` do; a minute passes.
        """
        self.git("add", "-A")
        self.git("commit", "--quiet", "--message", message)
        _pass_a_minute(self.clock)

    def push(self) -> str:
        """Push to the shared repository; say whether it took the commits."""
        said = self.git("push", "--porcelain", "origin", "main", stops=True)
        refused = any(line.startswith("!") for line in said.splitlines())
        return "refused: fetch first" if refused else "pushed"

    def pull(self) -> str:
        """Fetch, and merge what others have pushed; say which files git could
        not merge.
        """
        self.git("fetch", "--quiet")
        message = "Merge what the others pushed"
        self.git("merge", "-m", message, "origin/main", stops=True)
        conflicts = self.git("diff", "--name-only", "--diff-filter=U")
        _pass_a_minute(self.clock)
        if not conflicts:
            return "merged"
        return f"conflicts in {', '.join(conflicts.splitlines())}"

    def log(self) -> str:
        """Return the history as a graph, the newest commit first."""
        return self.git(
            "log", "--graph", "--date=format:%d %b %H:%M",
            "--format=%h %ad %an: %s",
        )  # fmt: skip


@dataclass(frozen=True)
class Developer:
    """A person with a home of their own: a project, a memory, and perhaps a
    clone of the shared repository in it.
    """

    lab: Lab
    name: str
    home: Path
    project: Path
    memory: Path

    @property
    def team(self) -> Clone:
        """The person's clone."""
        return Clone(self.name, self.memory / TEAM, self.lab.clock)

    @property
    def store(self) -> MemoryStore:
        """The person's memory, the team's part of it included."""
        return MemoryStore(self.memory, clock=self.lab.clock)

    def clone_team(self) -> None:
        """Clone the shared repository into the memory directory."""
        clone_shared(_shared(self.lab), self.team)

    def agent(
        self, session: str, *modes: str, project: Path | None = None
    ) -> Harness:
        """Begin a conversation in which some modes are on, in the person's
        project or in another one; it never dreams by itself.
        """
        toggles = Toggles()
        for mode in modes:
            toggles = toggles.switched(mode, True, "this notebook")
        options = HarnessOptions(
            runtime=self.lab.runtime,
            base=self.home / ".memlab",
            where=_where(self.name, self.home),
            environ={},
            toggles=toggles,
            session=session,
            prompts=self.lab.prompts.folder,
        )
        return Harness(project or self.project, options)


def robin_alone(lab: Lab) -> Developer:
    """Return Robin, who shares nothing; this needs no git."""
    return Developer(lab, "Robin", lab.home, lab.project, lab.memory)


def two_developers(lab: Lab) -> tuple[Developer, Developer]:
    """Give Mika a home with a copy of the project and no memory, and make an
    empty shared repository, of which Robin has a clone.

    Raises CourseError if there is no git.
    """
    make_shared(_shared(lab), lab.clock)
    robin = robin_alone(lab)
    robin.clone_team()

    home = lab.home / "mika"
    shutil.rmtree(home, ignore_errors=True)
    project = home / lab.project.name
    shutil.copytree(lab.project, project)
    paths = memory_paths(
        project,
        environ={"MEMLAB_HOME": str(home / ".memlab")},
        where=_where("Mika", home),
    )
    mika = Developer(lab, "Mika", home, project, paths.memory_dir)
    return robin, mika


def _where(name: str, home: Path) -> Where:
    """Return what ``~`` means to a person, and how it is shown."""
    return Where(home, f"/home/{name.lower()}")


def make_shared(folder: Path, clock: Clock) -> None:
    """Make an empty shared repository, in place of one that is there."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    shared = Clone("Robin", folder, clock)
    shared.git("init", "--quiet", "--bare")
    shared.git("symbolic-ref", "HEAD", "refs/heads/main")


def clone_shared(shared: Path, clone: Clone) -> None:
    """Make a person's clone of a shared repository, in their memory."""
    memory = clone.folder.parent
    Folder(memory).make()
    shutil.rmtree(clone.folder, ignore_errors=True)
    inside = replace(clone, folder=memory)
    inside.git("clone", "--quiet", str(shared), clone.folder.name)
    # a clone of an empty repository has a branch of any name
    clone.git("symbolic-ref", "HEAD", "refs/heads/main")


def _shared(lab: Lab) -> Path:
    """Return where the shared repository is: on a server, in real life."""
    return lab.home / "shared.git"


def _program() -> str:
    program = shutil.which("git")
    if not program:
        raise CourseError("this needs git, and there is none", do=MISSING)
    return program


def _environment(folder: Path, by: str, seconds: float) -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("GIT_", "LC_", "LANG"))
    }
    address = f"{by.lower()}@tidebook.example"
    return {
        **kept,
        "HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder),
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_DEFAULT_HASH": "sha1",
        "GIT_DEFAULT_REF_FORMAT": "files",
        "GIT_AUTHOR_NAME": by,
        "GIT_AUTHOR_EMAIL": address,
        "GIT_AUTHOR_DATE": f"{int(seconds)} +0000",
        "GIT_COMMITTER_NAME": by,
        "GIT_COMMITTER_EMAIL": address,
        "GIT_COMMITTER_DATE": f"{int(seconds)} +0000",
    }


def _pass_a_minute(clock: Clock) -> None:
    """Let the next commit have a later time."""
    advance = getattr(clock, "advance", None)
    if advance is not None:
        advance(_MINUTE)
