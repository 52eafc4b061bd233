"""``my/memory.py``: the learner's file, with every part that has passed.

The file is ordinary Python in sections, one for each part, and the learner may
edit it. Each section runs in a namespace that it shares with nobody, so two
parts may have helpers of the same name; the parts themselves see each other.
A section that cannot be run is reported with its line, and the others are
used.

``python -m memlab.course.parts_file FILE NAME`` reads the file in a fresh
process, as the next notebook will, and prints what is missing.
"""

from __future__ import annotations

import ast
import builtins
import dis
import hashlib
import json
import linecache
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import CodeType
from typing import Any

from memlab.course.raising import raise_in

VERSION = 1
FILE = "memory.py"
_FIRST_LINE = re.compile(r"# memlab parts, version (\d+)\b")
_SECTION = re.compile(
    r"# ---- (?P<name>\w+) \(notebook (?P<notebook>\d\d)\):"
    r" (?P<by>passed|ours)(?P<off>, off)?(?:, (?P<mark>[0-9a-f]{8}))? ----"
)
_PREAMBLE = f"""\
# memlab parts, version {VERSION}
#
# check() adds each part here once it has passed, and begin() puts the parts
# into the machine. You may edit the code below the headings. Please leave the
# headings and the first line as they are.
"""
_SECONDS = 60
LOAD_SECONDS = 5.0
"""How long the definitions of one part may run."""
_READS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")


@dataclass(frozen=True)
class Section:
    """One part in the file: its code, and who wrote it.

    ``by`` is *passed* for the learner's, and *ours* for a solution that
    ``start`` filled in. ``mark`` is the fingerprint of the code that passed,
    and ``line`` the line of the file at which the code begins.
    """

    name: str
    notebook: int
    code: str
    by: str = "passed"
    off: bool = False
    line: int = 0
    mark: str = ""

    @property
    def heading(self) -> str:
        """The comment above the code."""
        off = ", off" if self.off else ""
        mark = f", {self.mark}" if self.mark else ""
        return (
            f"# ---- {self.name} (notebook {self.notebook:02d}):"
            f" {self.by}{off}{mark} ----"
        )

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the code as it is now; white space at the ends
        of its lines does not count.
        """
        lines = [line.rstrip() for line in self.code.strip().split("\n")]
        text = "\n".join(lines)
        return hashlib.sha256(text.encode("utf-8")).hexdigest()[:8]

    @property
    def is_edited(self) -> bool:
        """Whether somebody has changed the code since it passed."""
        return self.mark not in ("", self.fingerprint)

    def marked(self) -> Section:
        """Return the section with the fingerprint of its present code."""
        return replace(self, mark=self.fingerprint)


@dataclass(frozen=True)
class PartsFile:
    """The text of the file, read into sections; ``preamble`` is what is above
    the first one.
    """

    preamble: str = _PREAMBLE
    sections: tuple[Section, ...] = ()

    def get(self, name: str) -> Section | None:
        """Return the section of a part."""
        return next((one for one in self.sections if one.name == name), None)

    def with_section(self, section: Section) -> PartsFile:
        """Return the file with one section added or replaced, in the order of
        the notebooks.
        """
        if self.get(section.name):
            sections = [
                section if one.name == section.name else one
                for one in self.sections
            ]
        else:
            sections = [*self.sections, section]
            sections.sort(key=lambda one: one.notebook)
        return replace(self, sections=tuple(sections))

    @property
    def text(self) -> str:
        """The file as it is written."""
        pieces = [self.preamble.rstrip()]
        pieces += [
            f"{one.heading}\n{one.code.strip()}" for one in self.sections
        ]
        return "\n\n\n".join(pieces) + "\n"


@dataclass(frozen=True)
class Problem:
    """A section that cannot be used: where, and what is wrong.

    ``missing`` has the names that the code refers to and does not define.
    """

    name: str
    line: int
    what: str
    missing: tuple[str, ...] = ()


def read_parts_file(path: Path) -> PartsFile:
    """Read the file; one that does not exist has no sections.

    Raises ValueError for a file of another version, and UnicodeDecodeError
    (which is one) for a file that is no text.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return PartsFile()
    return parse_parts(text)


def parse_parts(text: str) -> PartsFile:
    """Cut the text at its headings; raises ValueError for another version."""
    version = _FIRST_LINE.match(text)
    if not version or int(version[1]) != VERSION:
        raise ValueError(
            f"its first line is not {_PREAMBLE.splitlines()[0]!r}"
        )
    lines = text.splitlines()
    headings = [
        (number, found)
        for number, line in enumerate(lines)
        if (found := _SECTION.fullmatch(line.rstrip()))
    ]
    starts = [*(number for number, _ in headings), len(lines)]
    preamble = "\n".join(lines[: starts[0]])
    sections = []
    for (start, found), end in zip(headings, starts[1:], strict=True):
        section = Section(
            name=found["name"],
            notebook=int(found["notebook"]),
            code="\n".join(lines[start + 1 : end]).strip("\n"),
            by=found["by"],
            off=bool(found["off"]),
            mark=found["mark"] or "",
            line=_first_code_line(lines, start + 1, end),
        )
        sections.append(section)
    return PartsFile(preamble, tuple(sections))


def _first_code_line(lines: list[str], start: int, end: int) -> int:
    """Return the number, from 1, of the first line that is not empty."""
    number = next((n for n in range(start, end) if lines[n].strip()), start)
    return number + 1


def set_aside(path: Path) -> Path:
    """Rename a file that cannot be read, so that nothing is lost; gives its
    new path.
    """
    aside = _free_name(path, "older")
    path.rename(aside)
    return aside


def keep_copy(path: Path) -> Path:
    """Copy the file before it is changed; gives the path of the copy."""
    copy = _free_name(path, "previous")
    shutil.copy2(path, copy)
    return copy


def _free_name(path: Path, word: str) -> Path:
    number = 1
    while (free := path.with_name(f"memory.{word}-{number}.py")).exists():
        number += 1
    return free


def write_parts_file(path: Path, parts: PartsFile) -> None:
    """Replace the file at once, or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name}.new")
    half.write_text(parts.text, encoding="utf-8")
    os.replace(half, path)


def load_parts(
    parts: PartsFile, path: Path
) -> tuple[dict[str, Any], list[Problem]]:
    """Run every section; gives the functions and classes by part, and what is
    wrong with the others.
    """
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    linecache.cache[str(path)] = (
        len(text),
        None,
        text.splitlines(keepends=True),
        str(path),
    )
    found: dict[str, Any] = {}
    problems = []
    namespaces = {}
    for section in parts.sections:
        # what stands above the headings is for every part
        names: dict[str, Any] = {"__name__": "memory", "__file__": str(path)}
        try:
            with _time_limit(LOAD_SECONDS):
                _run(parts.preamble, 1, path, names)
                _run(section.code, section.line, path, names)
        except (Exception, SystemExit, TooLongError) as error:
            problems.append(
                Problem(section.name, _line_of(error, path), _in_words(error))
            )
            continue
        if not callable(names.get(section.name)):
            problems.append(
                Problem(
                    section.name,
                    section.line,
                    f"{section.name} is not defined below its heading",
                )
            )
            continue
        namespaces[section.name] = names
        found[section.name] = names[section.name]
    for names in namespaces.values():
        for name, part in found.items():
            names.setdefault(name, part)
    for section in parts.sections:
        if section.name in namespaces:
            names = namespaces[section.name]
            missing = missing_names(section.code, names)
            if missing:
                del found[section.name]
                problems.append(
                    Problem(
                        section.name,
                        section.line,
                        f"{_listed(missing)} {_is(missing)} not defined",
                        tuple(missing),
                    )
                )
    return found, problems


def lost_definitions(
    parts: PartsFile, is_gap: Callable[[str], bool]
) -> list[tuple[int, str]]:
    """Find the definitions of gaps whose heading is gone: each with its line
    and its name.

    Such a definition follows that of another part, or is above every heading.
    What precedes a part's own definition are its helpers.
    """
    found = []
    pieces = [(1, "", parts.preamble)]
    pieces += [(one.line, one.name, one.code) for one in parts.sections]
    for first, own, code in pieces:
        try:
            tree = ast.parse(code)
        except SyntaxError:
            continue
        follows = not own
        for node in tree.body:
            if not isinstance(node, ast.FunctionDef | ast.ClassDef):
                continue
            if follows and parts.get(node.name) is None and is_gap(node.name):
                found.append((first + node.lineno - 1, node.name))
            follows = follows or node.name == own
    return found


class TooLongError(BaseException):
    """Ends code that was still running when its time was over."""


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raise TooLongError in this thread when the time is over.

    A loop in Python ends; a call into C ends when it returns. A child process
    would end that too, but starting one takes longer than loading the file.
    """
    thread = threading.get_ident()
    lock = threading.Lock()
    over = threading.Event()

    def watch() -> None:
        if over.wait(seconds):
            return
        with lock:
            if not over.is_set():
                raise_in(thread, TooLongError)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        try:
            with lock:
                over.set()
            for _ in range(2):  # what was raised at the last moment arrives
                pass
        except TooLongError:
            pass


def _run(code: str, line: int, path: Path, names: dict[str, Any]) -> None:
    # empty lines in front keep the line numbers those of the file
    source = "\n" * (line - 1) + code
    exec(compile(source, str(path), "exec", dont_inherit=True), names)


def _line_of(error: BaseException, path: Path) -> int:
    if isinstance(error, SyntaxError):
        return error.lineno or 0
    line = 0
    trace = error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _in_words(error: BaseException) -> str:
    if isinstance(error, TooLongError):
        return f"it was still running after {LOAD_SECONDS:g} seconds"
    if isinstance(error, SyntaxError):
        return f"this is not Python: {error.msg}"
    return f"{type(error).__name__}: {error}"


def _listed(names: Iterable[str]) -> str:
    return " and ".join(names)


def _is(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"


def missing_names(code: str, names: Mapping[str, Any]) -> list[str]:
    """List the names that code refers to and that are defined nowhere."""
    known = {*names, *vars(builtins), "__class__"}
    return [name for name in global_names(code) if name not in known]


def global_names(code: str) -> list[str]:
    """List the names that code takes from outside its functions, each once, in
    their order.

    Names that the code itself defines at its top are left out; raises
    SyntaxError.
    """
    top = compile(code, "part", "exec", dont_inherit=True)
    defined = {
        step.argval
        for step in dis.get_instructions(top)
        if step.opname in ("STORE_NAME", "STORE_GLOBAL")
    }
    used: dict[str, None] = {}
    for inside, is_class in _code_objects(top):
        local = set()
        for step in dis.get_instructions(inside):
            if is_class and step.opname == "STORE_NAME":
                local.add(step.argval)
            if step.opname in _READS and step.argval not in local:
                used[step.argval] = None
    return [
        name
        for name in used
        if name not in defined and not name.startswith("__")
    ]


def _code_objects(code: CodeType) -> Iterator[tuple[CodeType, bool]]:
    """Return a code object and all inside it, and whether each is the body of
    a class.
    """
    is_class = "__qualname__" in code.co_names
    yield code, is_class
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code_objects(constant)


def problem_in_fresh_process(
    parts: PartsFile, name: str, folder: Path
) -> Problem | None:
    """Load the file in a new Python, where no notebook has defined anything;
    None if the part can be used there.
    """
    package = Path(__file__).resolve().parents[2]
    search = [str(package), os.environ.get("PYTHONPATH", "")]
    with tempfile.TemporaryDirectory(prefix="memlab-part-") as scratch:
        file = Path(scratch, FILE)
        file.write_text(parts.text, encoding="utf-8")
        try:
            done = subprocess.run(
                [sys.executable, "-m", "memlab.course.parts_file", file, name],
                cwd=folder if folder.is_dir() else scratch,
                env={
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join(filter(None, search)),
                },
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Problem(name, 0, "running its definition takes too long")
    try:
        found = json.loads(done.stdout.splitlines()[-1])
    except (ValueError, IndexError):
        lines = done.stderr.strip().splitlines() or ["Python stopped early"]
        return Problem(name, 0, lines[-1])
    if not found:
        return None
    return Problem(name, found["line"], found["what"], tuple(found["missing"]))


def _main(argv: list[str]) -> int:
    file, name = Path(argv[0]), argv[1]
    parts = read_parts_file(file)
    _, problems = load_parts(parts, file)
    mine = next((one for one in problems if one.name == name), None)
    print(json.dumps(vars(mine) if mine else None))
    return 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
