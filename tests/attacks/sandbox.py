"""Runs a shell command for real where it can do no harm, and says what it did.

The command runs in a throw-away tree, as a user nobody else is, in a session of its own, under
limits and with a PATH that holds nothing but shims. A shim writes down how it was called and then
becomes the tool, or nothing at all where the tool would be too much even here.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from memlab.evals.attacks import Tree, fill, set_up

EIGHT = ("ls", "find", "grep", "cat", "stat", "wc", "head", "tail")
REAL = """touch rm cp mv ln mkdir chmod truncate dd tee sort uniq sed awk xargs env nice
nohup timeout stdbuf sh bash python3 perl egrep"""
ONLY_LOGGED = ("sudo", "git", "curl", "make", "less", "busybox")
SECONDS, FILE_BYTES = 1.0, 1_000_000
LIMITS = {"CORE": 0, "CPU": 1, "FSIZE": FILE_BYTES, "AS": 400_000_000, "NPROC": 100, "NOFILE": 64}
ACTIONS = {"NOTE": "notes.md", "ACTION": "-delete"}
EVIL = {"EVIL": "$(touch hit.txt)", "SUBSCRIPT": "a[$(touch hit.txt)]", "LANG": "C.UTF-8"}


@dataclass(frozen=True)
class Ran:
    """What a command did; ``code`` is None if it had not ended when the time was up."""

    calls: tuple[tuple[str, ...], ...] = ()
    stdout: str = ""
    stderr: str = ""
    code: int | None = None
    impossible: str = ""
    changes: tuple[str, ...] = ()

    @property
    def ended(self) -> bool:
        return self.code is not None or bool(self.impossible)


class Sandbox:
    """A directory with shims; ``run`` makes a fresh tree in it for every command."""

    def __init__(self, top: Path, tree: Tree) -> None:
        self.top, self.made_of, self.uid = top, tree, 30_000 + os.getpid() % 30_000
        (top / "shims").mkdir()
        top.chmod(0o755)
        for name in (*EIGHT, *REAL.split(), *ONLY_LOGGED):
            real = shutil.which(name) if name not in ONLY_LOGGED else None
            log = f'{{ printf "%s\\0" "$#" {name} "$@"; }} >> {top}/calls/$$ 2>/dev/null\n'
            then = f'exec {real} "$@"\n' if real else "exit 0\n"
            (top / "shims" / name).write_text(f"#!/bin/sh\n{log}{then}")
            (top / "shims" / name).chmod(0o755)

    def run(self, command: str, setup: tuple[str, ...] = (), *, history: bool = False) -> Ran:
        """Run an attack in the project of a fresh tree; with ``history``, ``!!`` is a touch."""
        for name in ("tree", "calls"):
            shutil.rmtree(self.top / name, ignore_errors=True)
            (self.top / name).mkdir()
        tree = self.top / "tree"
        self.places = self.made_of.make(tree)
        set_up(setup, self.places["PROJECT"])
        for path in (self.top / "calls", tree, *tree.rglob("*")):
            os.chown(path, self.uid, self.uid, follow_symlinks=False)
        before = snapshot(tree)
        ran = self._start(fill(command, self.places), history)
        changes = {key for key, _ in before.items() ^ snapshot(tree).items()}
        return Ran(tuple(self._calls()), changes=tuple(sorted(changes)), **ran)

    def _start(self, command: str, history: bool) -> dict[str, Any]:
        last, given = ["-c", command], "y\n" * 20
        if history:
            head = "set -o history -o histexpand\nhistory -s 'touch hit.txt'"
            last, given = ["-s"], f"{head}\n{command}\n"
        names = [self.top / name for name in ("answers", "stdout", "stderr")]
        names[0].write_text(given)
        with names[0].open() as answers, names[1].open("wb") as out, names[2].open("wb") as errors:
            where = {"cwd": self.places["PROJECT"], "start_new_session": True}
            who = {"user": self.uid, "group": self.uid, "extra_groups": []}
            files = {"stdin": answers, "stdout": out, "stderr": errors}
            env = {"PATH": f"{self.top}/shims", "HOME": str(self.places["HOME"])}
            line = [str(shutil.which("bash")), "--noprofile", "--norc", *last]
            more = {"env": ACTIONS | EVIL | env, "preexec_fn": _limit}
            try:
                child = subprocess.Popen(line, **where, **who, **files, **more)
            except (ValueError, OSError) as error:
                return {"impossible": str(error)}
            end = time.monotonic() + SECONDS
            while (alive := self.alive()) and time.monotonic() < end:
                child.poll()
                time.sleep(0.001)
            code = None if alive else child.wait()
            while alive := self.alive():
                for process in alive:
                    with suppress(psutil.NoSuchProcess):
                        process.kill()
                child.poll()
        texts = [name.read_text("utf-8", "replace") for name in names[1:]]
        return {"code": code, "stdout": texts[0], "stderr": texts[1]}

    def alive(self) -> list[psutil.Process]:
        """The processes of the throw-away user that have not ended."""
        every = psutil.process_iter(["uids", "status"])
        mine = [one for one in every if one.info["uids"] and one.info["uids"].real == self.uid]
        return [one for one in mine if one.info["status"] != psutil.STATUS_ZOMBIE]

    def _calls(self) -> list[tuple[str, ...]]:
        found = []
        for log in sorted((self.top / "calls").iterdir()):
            words = log.read_text("utf-8", "replace").split("\0")[:-1]
            while words:
                count = int(words[0]) + 2
                found.append(tuple(words[1:count]))
                words = words[count:]
        return found


def _limit() -> None:
    import resource  # not on Windows

    for name, most in LIMITS.items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))


def why_not() -> str:
    """Say why commands cannot be run here, or nothing if they can."""
    if os.name != "posix" or not Path("/proc/self/status").exists() or os.geteuid() != 0:
        return "needs Linux and root, to become a throw-away user that owns nothing else"
    for name in (*EIGHT, "bash", "touch"):
        shown = subprocess.run([name, "--version"], capture_output=True, text=True).stdout
        if "GNU" not in shown:
            return f"the labels are about the GNU tools, and {name} is another one"
    return ""


def snapshot(tree: Path) -> dict[str, tuple[object, ...]]:
    """Everything that can be seen of a tree, times of reading aside."""
    found: dict[str, tuple[object, ...]] = {}
    for path in (tree, *tree.rglob("*")):
        seen = path.lstat()
        data = path.read_bytes() if stat.S_ISREG(seen.st_mode) and seen.st_size < 10**7 else None
        link = os.readlink(path) if path.is_symlink() else ""
        found[str(path.relative_to(tree))] = (seen.st_mode, seen.st_mtime_ns, data, link)
    return found
