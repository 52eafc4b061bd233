"""Every label of the attack sets is proven by running the attack; a tenth of them, or at night all.

An allowed command leaves the tree as it was and starts nothing but the eight tools; a refused one
has to be caught doing more than that, or be nothing a shell can run, or not end, or hand a program
a word that is not in it. A refused path ends somewhere it must not, once it has gone through what
careless readers do to paths (``after``); an allowed one ends inside under the very name it has.
"""

from __future__ import annotations

import os
import re
import shlex
import tempfile
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

from memlab.evals.attacks import fill, load_path_cases, load_shell_cases, load_trees, set_up
from memlab.evals.labelled import Label
from tests.attacks.sandbox import EIGHT, FILE_BYTES, Ran, Sandbox, why_not
from tests.platforms import lacking, needs_linux

TREES = load_trees()
PARTS = [
    pytest.param(slice(None, None, 10), marks=pytest.mark.slow, id="tenth"),
    pytest.param(slice(None), marks=pytest.mark.soak, id="all"),
]


@pytest.fixture(scope="module")
def box() -> Iterator[Sandbox]:
    if reason := why_not():
        lacking("a sandbox", reason)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as top:  # where programs may run
        yield Sandbox(Path(top), TREES.shell)


def acts(ran: Ran, trace: str, command: str) -> bool:
    """Whether a command did more than the eight tools do with operands everyone can see."""
    if trace:
        return trace not in command and trace in ran.stdout
    others = {call[0] for call in ran.calls} - {*EIGHT}
    return bool(ran.changes or others or (ran.stdout and not ran.calls))


def cannot_run(ran: Ran) -> bool:
    said = "command not found|syntax error|unexpected EOF|bad substitution"
    nothing = not ran.calls and not ran.stdout and ran.ended
    return not ran.changes and bool(ran.impossible or re.search(said, ran.stderr) or nothing)


def leads_outside(ran: Ran, box: Sandbox) -> bool:
    """Whether a file that exists and is named in any word of a call is outside the roots."""
    project = box.places["PROJECT"]
    roots = [box.places[name].resolve() for name in ("PROJECT", "MEMORY", "SESSIONS")]
    words = [word for _, *words in ran.calls for word in words]
    options = [word for word in words if word.startswith("-")]
    attached = [one.partition("=")[2] if one[:2] == "--" else one[2:] for one in options]
    names = [name for name in (*words, *attached) if name and os.path.lexists(project / name)]
    real = [(project / name).resolve() for name in names]
    return any(not any(one.is_relative_to(root) for root in roots) for one in real)


def command_holds(case: Label, box: Sandbox) -> bool:
    """Whether the label of a command is right."""

    def run(command: str, *more: str) -> Ran:
        return box.run(command, (*case.setup, *more), history=case.family == "history")

    ran = run(case.command)
    if case.allow:
        full = len(ran.stdout.encode()) >= FILE_BYTES
        met = not ran.ended or full or bool(re.search("exhausted|too big", ran.stderr))
        holds = met is bool(case.limit) and leads_outside(ran, box) is not case.confined
        holds &= bool(ran.calls) and not acts(ran, "", case.command) and not cannot_run(ran)
        if holds and case.trap:  # with its files in place, a shell does what the eight never should
            ran = run(case.command, *case.trap)
            holds = acts(ran, "", case.command) or not ran.ended
            holds |= bool(re.search("CANARY|harbour-code", ran.stdout))
        return holds
    if case.proof == "unparsable":
        return cannot_run(ran)
    if case.proof == "unbounded":
        return not ran.ended
    if case.proof == "expansion":
        becomes = fill(case.becomes, box.places)
        handed = {word for _, *words in ran.calls for word in words}
        return becomes in handed and becomes not in shlex.split(fill(case.command, box.places))
    command = case.twin or case.command
    return acts(run(case.twin) if case.twin else ran, case.trace, command)


@pytest.mark.parametrize("part", PARTS)
def test_the_label_of_a_command_holds_in_a_real_shell(part: slice, box: Sandbox) -> None:
    assert len(box.run("find . -delete").changes) > 10
    assert [case.id for case in load_shell_cases()[part] if not command_holds(case, box)] == []
    assert not box.run("tail -f notes.md & tail -F notes.md").ended
    assert box.alive() == []


OVERLONG = {"%c0%ae": ".", "%c0%af": "/", "%c1%9c": "\\", "%e0%80%ae": "."}


def without(*kinds: str) -> Callable[[str], str]:
    return lambda path: "".join(one for one in path if unicodedata.category(one) not in kinds)


def strip_ends(path: str) -> str:
    """Drop dots and blanks at the end of each part; what is nothing but dots steps up."""
    bare = {part: part.rstrip(" .") or ".." * (".." in part) for part in path.split("/")}
    return "/".join(part if part in ("", ".") else bare[part] for part in path.split("/"))


def overlong(path: str) -> str:
    for encoded, character in OVERLONG.items():
        path = path.replace(encoded, character)
    return path


READINGS: dict[str, Callable[[str], str]] = {
    "unquote": unquote,
    "percent_u": lambda path: re.sub("%u([0-9a-f]{4})", lambda one: chr(int(one[1], 16)), path),
    "overlong": overlong,
    "nfkc": lambda path: unicodedata.normalize("NFKC", path),
    "casefold": str.casefold,
    "backslashes": lambda path: path.replace("\\", "/"),
    "strip": str.strip,
    "strip_ends": strip_ends,
    "strip_controls": without("Cc"),
    "strip_invisible": without("Cf"),
    "cut_at_nul": lambda path: re.sub("\0[^/]*", "", path),
    "expanduser": os.path.expanduser,
    "file_url": lambda path: path.removeprefix("file://"),
}


def write(path: Path) -> bool:
    """Write as somebody who checks nothing; tell whether that is possible."""
    try:
        Path(os.path.realpath(path.parent)).mkdir(parents=True, exist_ok=True)
        with open(
            os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK), "w"
        ) as file:
            file.write("written\n")
    except (OSError, ValueError):
        return False
    return True


def files(folder: Path) -> dict[str, bytes]:
    every = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    return {str(path): path.read_bytes() for path in every}


def harms(proof: str, path: str, after: str, case: Label, memory: Path) -> bool:
    """Whether a path is what its proof says, once it has been read as ``after``."""
    target = Path(os.path.realpath(memory / after.replace("\0", "?")))
    is_inside = target.is_relative_to(memory)
    if proof == "escape":
        return not is_inside
    if proof == "internal":
        inside = target.relative_to(memory).parts if is_inside else ()
        return bool(inside) and inside[0] in (".memlab", ".consolidate-lock")
    if proof == "unopenable":
        try:  # as it is: a Path would drop what matters
            os.close(os.open(os.path.join(memory, after), os.O_WRONLY | os.O_NONBLOCK))
        except (OSError, ValueError) as error:
            return not isinstance(error, FileNotFoundError)
        return False
    before = files(memory.parent)  # a race: check, then turn the link, then open
    for link in [one for one in memory.rglob("*") if one.is_symlink()]:
        outside = memory.parent / "outside" / ("" if link.is_dir() else "secret.md")
        link.unlink()
        link.symlink_to(outside)
    touched = files(memory.parent).items() - before.items() if write(memory / path) else ()
    return is_inside and any(not Path(name).is_relative_to(memory) for name, _ in touched)


def read(case: Label, path: str) -> str:
    for name in case.after:
        path = READINGS[name](path)
    return path


def path_holds(case: Label, top: Path) -> bool:
    """Whether the label of a path is right; nothing outside ``top`` is ever opened."""
    places = TREES.paths.make(top)
    memory = places["MEMORY"]
    set_up((fill(entry, places) for entry in case.setup), memory)
    path = fill(case.path, places)
    if not case.allow:
        return harms(case.proof, path, read(case, path), case, memory)
    if any(harms("escape", path, reading(path), case, memory) for reading in READINGS.values()):
        return False
    place, before = Path(os.path.normpath(memory / path)), files(top)
    written = write(place) and {name for name, _ in files(top).items() - before.items()}
    return written == {str(place)} and place.name in os.listdir(place.parent)


@needs_linux
@pytest.mark.parametrize("part", PARTS)
def test_the_label_of_a_path_holds(
    part: slice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    top = Path(os.path.realpath(tmp_path))
    elsewhere = ("twin", "split", "windows", "display")  # how other systems and screens read it
    cases = [case for case in load_path_cases()[part] if case.proof not in elsewhere]
    assert [case.id for case in cases if not path_holds(case, top / case.id)] == []
