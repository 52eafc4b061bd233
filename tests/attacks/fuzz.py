"""Sets made-up commands and paths on the guards for as long as you like, and watches what happens.

    python -m tests.attacks.fuzz --minutes 60        CPU minutes, programs included
    python -m tests.attacks.fuzz --minutes 2 --strace

Each command that is allowed is run in a tree full of links that lead out, files without end
and names that look like options. Watched are: every start of a program, before it happens; every
look into the folders outside, as the kernel reports it (inotify); every change of the tree; time,
output, and what is left running. A memory is opened while a thread swaps its folder for a link. No
error but a denial may come out. With ``--strace`` the kernel also tells which programs ran, and
which files they opened. Left out: other systems than Linux.
"""

from __future__ import annotations

import argparse
import ctypes
import itertools
import os
import re
import resource
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from memlab.agent.shell import is_read_only_command
from memlab.agent.shell_run import Limits, run_read_only
from memlab.agent.tool import ToolError
from memlab.errors import MemoryPathError
from memlab.evals.attacks import Tree, fill, load_trees, set_up
from memlab.memdir.folder import Folder
from memlab.memdir.names import plain_file
from tests.attacks.made_up import any_text, paths, pipelines

EIGHT = {"ls", "find", "grep", "cat", "stat", "wc", "head", "tail"}
LIMITS = Limits(seconds=0.3, output_bytes=2_000)
PATIENCE_SECONDS = 60.0  # a busy machine may leave this process waiting for long
CANARY = "CANARY-7731"
TRAPS = (
    *("gate -> ../../outside", "gate.txt -> ../../outside/harbour-code.txt", "loop -> loop"),
    *("tests/gate -> ../../../outside", "top -> /", "-R", "-f", "-delete", "+1f", "desk.pipe |"),
    *("--files0-from=starts.list", "many/a.txt", "many/b.txt", "deep/er/still/notes.md", "[x]"),
)
PATH_TRAPS = (
    "crew -> ../outside",
    "diary.md -> ../outside/secret.md",
    "team/notes.md",
    "desk.md |",
)
_ACTS = re.compile(r"-(delete|exec.*|ok.*|fprint.*|fls|files0-from)")
_TAKES_A_WORD = {"-name", "-path", "-newer", "-samefile", "-printf", "-regex", "-type", "-user"}
_TAKES_A_WORD |= {"-maxdepth", "-size"}
_CALL = re.compile(r'^(execve|open|openat)\((?:AT_FDCWD, |\d+, )?"(.*?)".* = \d+$', re.MULTILINE)
_SYSTEM = (
    "/lib",
    "/usr/lib",
    "/usr/share/locale/",
    "/etc/ld.so",
    "/proc/filesystems",
    "/proc/self/maps",
)
_NAMES_OF_OWNERS = {"/etc/nsswitch.conf", "/etc/passwd", "/etc/group", "/usr/share/zoneinfo/UTC"}
_OPENED = 0x20 | 0x2 | 0x1 | 0x100 | 0x200 | 0x4  # open, modify, access, create, delete, attributes


class Broken(AssertionError):
    """A promise of the guards was broken."""


class Starts:
    """Sees every program that this process is about to start, and stops what must not run."""

    def __init__(self) -> None:
        self.lines: list[list[str]] | None = None
        sys.addaudithook(self._hook)

    def _hook(self, event: str, args: tuple[Any, ...]) -> None:
        if self.lines is None:
            return
        if event in ("os.system", "os.exec", "os.posix_spawn", "os.spawn"):
            raise Broken(f"{event} {args}")
        if event == "subprocess.Popen":
            program, words = Path(os.fsdecode(args[0])), [os.fsdecode(word) for word in args[1]]
            self.lines.append(words)
            if program.name not in EIGHT or program.parent not in (Path("/bin"), Path("/usr/bin")):
                raise Broken(f"started {program}")
            pairs = itertools.pairwise(words) if words[0] == "find" else ()
            if any(_ACTS.fullmatch(b) and a not in _TAKES_A_WORD for a, b in pairs):
                raise Broken(f"started {words}")

    @contextmanager
    def watched(self) -> Iterator[list[list[str]]]:
        """Collect the words of every program that is started meanwhile."""
        lines: list[list[str]] = []
        self.lines = lines
        try:
            yield lines
        finally:
            self.lines = None


class Looks:
    """What anybody does in some folders, and to their files, as the kernel reports it."""

    def __init__(self, *folders: Path) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._queue = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        self._folders = {
            self._libc.inotify_add_watch(self._queue, os.fsencode(folder), _OPENED): folder
            for folder in folders
        }
        if self._queue < 0 or min(self._folders) < 0:
            raise OSError(ctypes.get_errno(), "inotify is not to be had")

    def taken(self) -> list[Path]:
        """Give the paths that were touched since the last call; a folder's own is among them."""
        found, data = [], b""
        with suppress(BlockingIOError):
            while piece := os.read(self._queue, 65_536):
                data += piece
        while data:
            watch, _, _, size = struct.unpack("iIII", data[:16])
            found.append(self._folders[watch] / os.fsdecode(data[16 : 16 + size].rstrip(b"\0")))
            data = data[16 + size :]
        return found

    def close(self) -> None:
        """Stop looking."""
        os.close(self._queue)


class Fuzz:
    """One tree, and what was counted while commands and paths were set on it."""

    def __init__(self, top: Path) -> None:
        self.counts, self.starts = Counter[str](), Starts()
        trees = load_trees()
        self.directories = _with_traps(trees.shell, top / "shell", "PROJECT", TRAPS)
        self.memory = _with_traps(trees.paths, top / "paths", "MEMORY", PATH_TRAPS)["MEMORY"]
        self.project, self.top = self.directories["PROJECT"], top
        self.roots = [self.directories[name] for name in ("PROJECT", "MEMORY", "SESSIONS")]
        for name, size in (("endless.bin", 1 << 40), ("long.txt", 300_000)):
            (self.project / name).touch()
            os.truncate(self.project / name, size)
        outside, home = self.directories["OUTSIDE"], self.directories["HOME"]
        self.looks = Looks(outside, home, top / "shell", top / "paths" / "outside")
        self._may = {home / "tidebook", home / ".memlab"}
        self.before = _seen(top)

    def text(self, command: str) -> None:
        """Judge any text: it is allowed or has a reason, and nothing is raised."""
        verdict = is_read_only_command(command)
        self.counts["texts judged"] += 1
        if verdict.allowed is bool(verdict.reason):
            raise Broken(f"{verdict} on {command!r}")

    def command(self, command: str) -> None:
        """Run a command, if it is allowed."""
        self.looks.taken()
        shown, ended, begun, used = "", "ran", time.monotonic(), _seconds_of_programs()
        with self.starts.watched() as lines:
            try:
                verdict = is_read_only_command(fill(command, self.directories))
                if verdict.allowed:
                    run = run_read_only(verdict, cwd=self.project, roots=self.roots, limits=LIMITS)
                    shown = run
                else:
                    ended = "refused by the verdict"
            except ToolError:
                ended = "refused for an operand"
        took, used = time.monotonic() - begun, _seconds_of_programs() - used
        if ended == "ran" and "[stopped after" in shown:
            ended = "stopped at a limit"
        self.counts[f"pipelines {ended}"] += 1
        self.counts["programs started"] += len(lines)
        wrong = {
            "something was started and refused": bool(lines) and ended.startswith("refused"),
            "something from outside was shown": CANARY in shown,
            "somebody looked outside": [p for p in self.looks.taken() if p not in self._may],
            "the output is too long": len(shown.encode()) > LIMITS.output_bytes + 100,
            "it took too long": used > 2 * LIMITS.seconds + 0.5 or took > PATIENCE_SECONDS,
            "the tree was changed": _seen(self.top) != self.before,
        }
        self._judge(wrong, command)

    def path(self, path: str) -> None:
        """Judge a path, and open what may be opened."""
        self.looks.taken()
        text = ""
        try:
            folder = Folder(self.memory)
            name = plain_file(folder, path)
            place = self.memory / name
            self.counts["paths allowed"] += 1
            with open(folder.open(name), encoding="utf-8") as source:
                text = source.read()
            self.counts["files opened"] += 1
        except MemoryPathError:
            place = None
            self.counts["paths refused"] += 1
        except OSError:
            self.counts["paths with no file"] += 1
        inside = place is None or os.path.realpath(place).startswith(f"{self.memory}/")
        wrong = {
            "it leads out": not inside,
            "somebody looked outside": self.looks.taken(),
            "something from outside was read": "outside" in text,
        }
        self._judge(wrong, path)

    def race(self, opens: int) -> None:
        """Open a memory while a thread turns its folder into a link that leads out, and back."""
        team, aside, over = self.memory / "team", self.memory / "aside", threading.Event()
        outside = self.memory.parent / "outside"
        (outside / "notes.md").write_text("outside")
        turning = threading.Thread(target=_turn, args=(team, aside, over))
        turning.start()
        texts = Counter[str]()
        try:
            for _ in range(opens):
                try:
                    folder = Folder(self.memory)
                    name = plain_file(folder, "team/notes.md")
                    with open(folder.open(name), encoding="utf-8") as source:
                        texts[source.read()] += 1
                except (MemoryPathError, OSError):  # as the system has it at that moment
                    texts["not opened"] += 1
        finally:
            over.set()
            turning.join()
            (outside / "notes.md").unlink()
            self.before = _seen(self.top)
        led_out = texts.pop("outside", 0)
        self.counts["files refused in a race"] += texts.pop("not opened", 0)
        self.counts["files opened in a race"] += texts.total()
        self._judge({f"{led_out} of {opens} opens were led out": led_out}, "team/notes.md")

    def left_running(self) -> None:
        """See that no program is left."""
        children = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
        self._judge({"something is left running": children.strip()}, "")

    def _judge(self, wrong: dict[str, object], given: str) -> None:
        if found := {what: how for what, how in wrong.items() if how}:
            raise Broken(f"{found} by {given!r}")

    def batch(self, number: int, examples: int) -> None:
        """Set one batch on the guards; raises Broken, or whatever came out, with the least case."""
        rules = settings(
            max_examples=examples,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.generate, Phase.shrink),
        )
        kinds = ((any_text, self.text, 1), (pipelines, self.command, 2), (paths, self.path, 1))
        for strategy, check, weight in kinds:
            rule = settings(rules, max_examples=examples * weight)
            seed(number)(rule(given(strategy)(check)))()
        self.race(examples)
        self.left_running()


def cpu_seconds() -> float:
    """The CPU time of this process and of all programs that have ended."""
    return time.process_time() + _seconds_of_programs()


def run(minutes: float, first: int = 1, examples: int = 500) -> Counter[str]:
    """Fuzz for so many minutes of CPU time, at least one batch, and give the counts."""
    said = 0.0
    with tempfile.TemporaryDirectory(prefix="memlab-fuzz-") as made:
        fuzz = Fuzz(Path(os.path.realpath(made)))
        for number in range(first, sys.maxsize):
            fuzz.batch(number, examples)
            if (spent := cpu_seconds()) >= 60 * minutes:
                break
            if spent >= said + 60:
                said = spent
                print(f"{spent / 60:6.1f} min, batch {number}: {dict(fuzz.counts)}", flush=True)
        fuzz.looks.close()
    return fuzz.counts


def check_trace(logs: Path) -> tuple[Counter[str], list[str]]:
    """Read what strace wrote, a file a process: the programs that ran, and what must not be."""
    programs, wrong = Counter[str](), list[str]()
    for log in sorted(logs.iterdir()):
        calls = _CALL.findall(log.read_text(encoding="utf-8", errors="replace"))
        ran = [path for call, path in calls if call == "execve"]
        programs.update(Path(path).name for path in ran)
        if not ran or ran == [sys.executable]:  # a thread of ours, or ourselves
            continue
        names = {Path(path).name for path in ran if path.startswith(("/bin/", "/usr/bin/"))}
        wrong += [] if len(ran) == 1 and names <= EIGHT and names else [f"{log.name} ran {ran}"]
        opened = (path for call, path in calls if call != "execve" and path.startswith("/"))
        inside = (path for path in opened if not path.startswith(_SYSTEM))
        if names <= {"ls", "stat", "find"}:  # who owns a file, and which hour it is in UTC
            inside = (path for path in inside if path not in _NAMES_OF_OWNERS)
        wrong += [p for p in inside if "memlab-fuzz-" not in p or "outside" in p]
    return programs, wrong


def _turn(team: Path, aside: Path, over: threading.Event) -> None:
    """Put a link in the folder's place and the folder back, as often as there is time."""
    while not over.is_set():
        team.rename(aside)
        team.symlink_to("../outside")
        team.unlink()
        aside.rename(team)


def _seconds_of_programs() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _with_traps(tree: Tree, top: Path, base: str, traps: tuple[str, ...]) -> dict[str, Path]:
    top.mkdir(parents=True)
    directories = tree.make(top)
    set_up(traps, directories[base])
    return directories


def _seen(top: Path) -> dict[str, tuple[int, ...]]:
    """All that a change of a tree would change, times of reading aside, without opening a file."""
    found: dict[str, tuple[int, ...]] = {}
    for folder, folders, files in os.walk(top):
        for name in (".", *folders, *files):
            one = os.lstat(path := os.path.join(folder, name))
            found[path] = (one.st_mode, one.st_ino, one.st_size, one.st_mtime_ns, one.st_ctime_ns)
    return found


def main() -> int:
    """Fuzz, say what came of it, and return 0 if every promise was kept."""
    parser = argparse.ArgumentParser(prog="python -m tests.attacks.fuzz")
    parser.add_argument("--minutes", type=float, default=60, help="of CPU time (default 60)")
    parser.add_argument("--seed", type=int, default=1, help="number of the first batch")
    parser.add_argument("--strace", action="store_true", help="let the kernel tell what ran")
    given_ = parser.parse_args()
    if given_.strace:
        return _traced(given_.minutes, given_.seed)
    counts = run(given_.minutes, given_.seed)
    for what, number in sorted(counts.items()):
        print(f"{number:10,}  {what}")
    print(f"{cpu_seconds() / 60:10.1f}  minutes of CPU; every promise was kept")
    return 0


def _traced(minutes: float, first: int) -> int:
    with tempfile.TemporaryDirectory(prefix="memlab-trace-") as made:
        trace, log = "trace=execve,open,openat", os.path.join(made, "log")
        strace = ["strace", "-ff", "-qq", "-s", "4096", "-e", trace, "-o", log]
        again = [sys.executable, "-m", "tests.attacks.fuzz", "--minutes", str(minutes)]
        code = subprocess.run([*strace, *again, "--seed", str(first)], check=False).returncode
        programs, wrong = check_trace(Path(made))
    print("the kernel saw:", dict(programs), *wrong[:20], sep="\n")
    return 1 if wrong or code else 0


if __name__ == "__main__":
    sys.exit(main())
