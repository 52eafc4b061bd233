"""Runs a shell command for real where it can do no harm, and says what it did.

The command runs in a throw-away tree, as a user nobody else is, in a separate session, under
limits and with a PATH that holds nothing but shims. A shim writes down how it was called and then
becomes the tool, or nothing at all where the tool would be too much even here.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from memlab.evals.attacks import Tree, fill, set_up

EIGHT = ("ls", "find", "grep", "cat", "stat", "wc", "head", "tail")
RUN_FOR_REAL = (
    *EIGHT,
    *("touch", "rm", "cp", "mv", "ln", "mkdir", "chmod", "truncate", "dd", "tee", "sort", "uniq"),
    *("sed", "awk", "xargs", "env", "nice", "nohup", "timeout", "stdbuf", "sh", "bash", "python3"),
    *("perl", "egrep"),
)
ONLY_LOGGED = ("sudo", "git", "curl", "make", "less", "busybox")
PR_SET_CHILD_SUBREAPER = 36  # from linux/prctl.h
SECONDS, FILE_BYTES, MEMORY_BYTES, PROCESSES = 1.0, 1_000_000, 400_000_000, 100


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    calls: tuple[tuple[str, ...], ...] = ()
    stdout: str = ""
    stderr: str = ""
    code: int | None = None
    full: bool = False
    impossible: str = ""
    changes: tuple[str, ...] = ()

    @property
    def ended(self) -> bool:
        """Whether it came to an end by itself before the time was up."""
        return self.code is not None or bool(self.impossible)

    @property
    def started(self) -> set[str]:
        """The names of the programs that the PATH led to."""
        return {call[0] for call in self.calls}


@dataclass
class Sandbox:
    """A directory with shims; ``run`` makes a fresh tree in it for every command."""

    top: Path
    made_of: Tree
    uid: int
    directories: Mapping[str, Path] = field(default_factory=dict)

    def run(self, command: str, setup: tuple[str, ...] = (), *, history: bool = False) -> Ran:
        """Run an attack in the project of a fresh tree.

        With ``history`` the shell expands history, and its last command was ``touch hit.txt``.
        """
        self._clean()
        tree = self.top / "tree"
        self.directories = self.made_of.make(tree)
        set_up(setup, self.directories["PROJECT"])
        _hand_over(tree, self.uid)
        before = snapshot(tree)
        ran = self._start(fill(command, self.directories), history)
        return Ran(
            calls=tuple(self._calls()),
            **ran,  # type: ignore[arg-type]
            changes=tuple(sorted(key for key, _ in before.items() ^ snapshot(tree).items())),
        )

    def _start(self, command: str, history: bool) -> dict[str, object]:
        script, last = [_tool("bash"), "--noprofile", "--norc"], ["-c", command]
        given = "y\n" * 20
        if history:
            lines = ("set -o history -o histexpand", "history -s 'touch hit.txt'", command)
            last, given = ["-s"], "\n".join(lines) + "\n"
        out, errors = self.top / "out" / "stdout", self.top / "out" / "stderr"
        with tempfile.TemporaryFile() as answers, out.open("wb") as to, errors.open("wb") as wrong:
            answers.write(given.encode())
            answers.seek(0)
            try:
                child = subprocess.Popen(
                    [*script, *last],
                    cwd=self.directories["PROJECT"],
                    env=self._environment(),
                    stdin=answers,
                    stdout=to,
                    stderr=wrong,
                    start_new_session=True,
                    user=self.uid,
                    group=self.uid,
                    extra_groups=[],
                    umask=0o022,
                    preexec_fn=_limits(),
                )
            except (ValueError, OSError) as error:
                return {"impossible": str(error)}
            code = self._wait(child)
        read = {"stdout": out, "stderr": errors}
        return {"code": code, "full": out.stat().st_size >= FILE_BYTES} | {
            name: path.read_text(encoding="utf-8", errors="replace") for name, path in read.items()
        }

    def _wait(self, child: subprocess.Popen[bytes]) -> int | None:
        """Wait for the shell and all it has started; None when the time was up."""
        end = time.monotonic() + SECONDS
        try:
            code = child.wait(SECONDS)
            while self.alive():
                if time.monotonic() > end:
                    return None
                os.sched_yield()
            return code
        except subprocess.TimeoutExpired:
            return None
        finally:
            while alive := self.alive():
                for process in alive:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(process, signal.SIGKILL)
                child.poll()
            child.wait()
            for orphan in _processes(self.uid, "Z"):
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(orphan, 0)

    def alive(self) -> list[int]:
        """The processes of the throw-away user that have not ended."""
        return _processes(self.uid, "RSDTtIPKW")

    def _environment(self) -> dict[str, str]:
        return {
            "PATH": str(self.top / "shims"),
            "HOME": str(self.directories["HOME"]),
            "LANG": "C.UTF-8",
            "NOTE": "notes.md",
            "ACTION": "-delete",
            "EVIL": "$(touch hit.txt)",
            "SUBSCRIPT": "a[$(touch hit.txt)]",
        }

    def _calls(self) -> Iterator[tuple[str, ...]]:
        for log in sorted((self.top / "calls").iterdir()):
            words = log.read_text(encoding="utf-8", errors="replace").split("\0")[:-1]
            while words:
                count = int(words[0])
                yield tuple(words[1 : count + 2])
                words = words[count + 2 :]

    def _clean(self) -> None:
        shutil.rmtree(self.top / "tree", ignore_errors=True)
        for name in ("tree", "calls", "out"):
            shutil.rmtree(self.top / name, ignore_errors=True)
            (self.top / name).mkdir()
        os.chown(self.top / "calls", self.uid, self.uid)


@contextlib.contextmanager
def sandbox(tree: Tree) -> Iterator[Sandbox]:
    """Make a sandbox for that tree; its user differs from process to process."""
    uid = 30_000 + os.getpid() % 30_000
    while _is_somebody(uid):
        uid += 1
    with tempfile.TemporaryDirectory(prefix="memlab-attacks-") as made, _adopting():
        top = Path(made)
        top.chmod(0o755)
        _make_shims(top)
        yield Sandbox(top, tree, uid)


@contextlib.contextmanager
def _adopting() -> Iterator[None]:
    """Make this process the parent of orphans, so that it can wait for them to be gone."""
    system = ctypes.CDLL(None)
    system.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        system.prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def why_not() -> str:
    """Say why commands cannot be run here, or nothing if they can."""
    if os.name != "posix" or not Path("/proc/self/status").exists():
        return "needs Linux: processes are followed through /proc"
    if os.geteuid() != 0:
        return "needs root, to become a throw-away user that owns nothing else"
    if missing := [name for name in (*EIGHT, "bash", "touch") if not shutil.which(name)]:
        return f"not installed: {', '.join(missing)}"
    for name in EIGHT:
        shown = subprocess.run([name, "--version"], capture_output=True, text=True).stdout
        if "GNU" not in shown:
            return f"the labels are about the GNU tools, and {name} is another one"
    return ""


def snapshot(tree: Path) -> dict[str, tuple[object, ...]]:
    """Everything that can be seen of a tree, times of reading aside."""
    found: dict[str, tuple[object, ...]] = {}
    for folder, folders, files in os.walk(tree):
        for name in (".", *folders, *files):
            path = Path(folder, name)
            seen = path.lstat()
            what: object = None
            if stat.S_ISREG(seen.st_mode):
                what = path.read_bytes()
            elif stat.S_ISLNK(seen.st_mode):
                what = os.readlink(path)
            found[str(path.relative_to(tree))] = (seen.st_mode, seen.st_mtime_ns, what)
    return found


def _make_shims(top: Path) -> None:
    (top / "shims").mkdir()
    log = '{ printf "%s\\0" "$#"; printf "%s\\0" NAME "$@"; } >> LOG/$$ 2>/dev/null\n'
    for name in (*RUN_FOR_REAL, *ONLY_LOGGED):
        real = shutil.which(name) if name in RUN_FOR_REAL else None
        then = f'exec {real} "$@"\n' if real else "exit 0\n"
        text = log.replace("NAME", name).replace("LOG", str(top / "calls"))
        shim = top / "shims" / name
        shim.write_text("#!/bin/sh\n" + text + then, encoding="utf-8")
        shim.chmod(0o755)


def _hand_over(tree: Path, uid: int) -> None:
    for folder, folders, files in os.walk(tree):
        for name in (".", *folders, *files):
            os.chown(Path(folder, name), uid, uid, follow_symlinks=False)


def _limits() -> Callable[[], None]:
    """Return what a child does to itself before it becomes the shell."""
    import resource  # not on Windows, where this module is still imported

    most = (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, int(SECONDS)),
        (resource.RLIMIT_FSIZE, FILE_BYTES),
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_NPROC, PROCESSES),
        (resource.RLIMIT_NOFILE, 64),
    )

    def set_all() -> None:
        for what, value in most:
            resource.setrlimit(what, (value, value))

    return set_all


def _processes(uid: int, states: str) -> list[int]:
    """The processes of a user that are in one of these states."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if os.stat(f"/proc/{name}").st_uid in (uid, 0):
                status = Path("/proc", name, "status").read_text(errors="replace")
                lines = dict(line.split(":\t", 1) for line in status.splitlines())
                if lines["Uid"].split()[0] == str(uid) and lines["State"][0] in states:
                    found.append(int(name))
    return found


def _is_somebody(uid: int) -> bool:
    import pwd  # not on Windows

    try:
        pwd.getpwuid(uid)
    except KeyError:
        return bool(_processes(uid, "RSDTtIPKWZ"))
    return True


def _tool(name: str) -> str:
    return shutil.which(name) or name
