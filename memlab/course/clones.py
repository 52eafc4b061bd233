"""Two developers on one computer, who share memories through real git."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memlab.course.lab import Lab
from memlab.errors import CourseError
from memlab.harness import Harness, HarnessOptions
from memlab.memdir import (
    MemoryStore,
    Toggles,
    memory_paths,
    scan_memory_files,
)
from memlab.memdir.places import INDEX, TEAM, Where

_GIT = (
    "git -c init.defaultBranch=main -c core.autocrlf=false"
    " -c user.name={0} -c user.email={0}@tidebook.example"
)


@dataclass(frozen=True)
class Developer:
    """A person with a memory of their own, in which ``team`` is a clone of the
    shared repository.
    """

    lab: Lab
    base: Path
    name: str
    where: Where
    memory: Path
    team: Path

    @property
    def store(self) -> MemoryStore:
        """The memory, the team's part included, as an agent writes it."""
        return MemoryStore(self.memory, clock=self.lab.clock)

    def agent(
        self, *modes: str, project: Path | None = None, **options: Any
    ) -> Harness:
        """Begin a conversation with some modes switched on; ``options`` are
        those of the harness.
        """
        on: Any = dict.fromkeys(modes, True)
        given = HarnessOptions(
            runtime=self.lab.runtime,
            base=self.base,
            where=self.where,
            environ={},
            toggles=Toggles(**on),
            prompts=self.lab.prompts.folder,
            **options,
        )
        return Harness(project or self.lab.project, given)

    def git(self, command: str) -> str:
        """Run a command of git in the clone and return what it prints.

        Nothing that the person or the machine has set counts, so that the
        outputs are the same everywhere. Raises CourseError for an error,
        except for a refused push and a merge with conflicts.
        """
        env = {one: os.environ.get(one, "") for one in ("PATH", "SYSTEMROOT")}
        env |= {
            "HOME": str(self.base),
            "LC_ALL": "C",
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        done = subprocess.run(
            shlex.split(f"{_GIT.format(self.name)} {command}"),
            cwd=self.team,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        if done.returncode and not command.startswith(("push", "merge")):
            raise CourseError(done.stdout.strip(), where=f"git {command}")
        return done.stdout.rstrip()


def two_developers(lab: Lab) -> tuple[Developer, Developer]:
    """Restore the notebook's state, let Robin share all memories of the types
    project and reference, and give Mika a clone; raises CourseError if there
    is no git.
    """
    if not shutil.which("git"):
        do = "Install it from git-scm.com, restart the kernel, and begin again"
        raise CourseError("this needs git, and there is none", do=do)
    lab.reset()
    robin = _developer(lab, lab.base, "Robin")
    mika = _developer(lab, lab.home / "mika", "Mika")
    shared = shlex.quote(str(lab.home / "shared.git"))
    robin.git(f"init --quiet --bare {shared}")
    robin.git(f"clone --quiet {shared} .")
    for header in scan_memory_files(robin.memory).headers:
        if header.type in ("project", "reference"):
            shutil.move(header.path, robin.team)
    # the store gives each memory its line in the right index
    robin.store.commit("index", {f"{TEAM}/{INDEX}": b""}, who="user")
    robin.git("add --all")
    robin.git("commit --quiet -m 'Share what the team needs'")
    robin.git("push")
    mika.git(f"clone --quiet {shared} .")
    return robin, mika


def _developer(lab: Lab, base: Path, name: str) -> Developer:
    where = Where(lab.home, f"/home/{name.lower()}")
    environ = {"MEMLAB_HOME": str(base)}
    memory = memory_paths(lab.project, environ=environ, where=where).memory_dir
    (memory / TEAM).mkdir(parents=True)
    return Developer(lab, base, name, where, memory, memory / TEAM)
