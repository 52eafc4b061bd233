"""What a gap is, and how a learner's function is judged: on every case, beside
memlab's own version.
"""

from __future__ import annotations

import contextlib
import copy
import ctypes
import difflib
import functools
import io
import pkgutil
import pprint
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from importlib import import_module
from random import Random
from typing import Any, Literal

from memlab.course import gaps, parts

SECONDS = 5.0
"""How long a function may take for one case."""
SAME_CELL = "Put what it uses into the same cell, or put back a prepared line you deleted."
_SEED = 20260330
_WIDTH = 68
_MOST_LINES = 24


@dataclass(frozen=True)
class Case:
    """One input; ``rule`` is the sentence that it is about."""

    given: tuple[Any, ...]
    rule: str = ""


@dataclass(frozen=True, eq=False)
class Gap:
    """A function, or a class, that the learner writes.

    ``place`` is the dotted name of what it replaces in memlab, which is the
    right answer, too, unless the machine has none: then there is an
    ``answer``. ``enters(mine, own)`` turns a learner's version into something
    with the signature of memlab's own. ``watch`` runs a version on a case and
    returns what is compared, and ``call`` describes the case. ``raises`` are
    exceptions that a right answer may raise. A ``guard`` may refuse more than
    memlab does, and never less.

    ``wrong`` are wrong answers, as edits of the right one, ``(old, new,
    words)``, or as source, ``(source, words)``, with words that the message
    has to contain.
    """

    name: str
    cases: Callable[[Random], Iterable[Case]]
    hints: tuple[str, ...]
    why: str
    wrong: tuple[tuple[str, ...], ...]
    place: str = ""
    answer: Any = None
    enters: Callable[[Any, Any], Any] | None = None
    watch: Callable[..., Any] = field(
        default=lambda mine, *given: mine(*given)
    )
    call: Callable[..., str] | None = None
    raises: tuple[type[Exception], ...] = ()
    guard: bool = False

    @property
    def ours(self) -> Any:
        """The right answer."""
        return self.answer or parts.own(self)

    @property
    def help(self) -> str:
        """The two calls that help."""
        return f'hint("{self.name}") · solution("{self.name}")'

    @property
    def notebook(self) -> int:
        """The number of the notebook: that of the module with the cases."""
        return int(self.cases.__module__[-2:])


@functools.cache
def all_gaps() -> Mapping[str, Gap]:
    """Return every gap by name, in the order of the notebooks."""
    found = {}
    for module in pkgutil.iter_modules(gaps.__path__, f"{gaps.__name__}."):
        for value in vars(import_module(module.name)).values():
            if isinstance(value, Gap):
                found[value.name] = value
    return found


# What check says; a sign says everything that a colour says

_SIGNS = {
    "todo": ("○", "#57606a"),
    "not yet": ("✗", "#b4232c"),
    "pass": ("✓", "#1a7f37"),
}
# it keeps lines and spaces, and breaks a long line between words
_HTML = (
    '<pre style="white-space:pre-wrap;word-break:normal;overflow-wrap:'
    'break-word;line-height:1.5"><span style="background:{};color:#ffffff;'
    'font-weight:bold;border-radius:3px;padding:1px 6px">{} {}</span> {}</pre>'
)


@dataclass(frozen=True, repr=False)
class Verdict:
    """How a learner's function did, in lines."""

    state: Literal["todo", "not yet", "pass"]
    lines: tuple[str, ...]

    def __repr__(self) -> str:
        return f"{_SIGNS[self.state][0]} {self.state}  {self._text}"

    def _repr_html_(self) -> str:
        sign, colour = _SIGNS[self.state]
        return _HTML.format(colour, sign, self.state, escape(self._text))

    @property
    def _text(self) -> str:
        indent = " " * (len(self.state) + 4)
        return f"\n{indent}".join(self.lines)


# How a function is judged


@dataclass
class Run:
    """What came of one call."""

    value: Any = None
    error: BaseException | None = None
    printed: str = ""
    changed: tuple[int, ...] = ()
    hung: bool = False


def run(gap: Gap, function: Any, given: tuple[Any, ...]) -> Run:
    """Call a function with its own copy of an input, in a thread that is ended
    if it does not come back.
    """
    result = Run()
    arguments, printed = copy.deepcopy(given), io.StringIO()

    def work() -> None:
        try:
            result.value = gap.watch(function, *arguments)
        except BaseException as error:  # SystemExit is an answer, too
            result.error = error

    thread = threading.Thread(target=work, daemon=True)
    with contextlib.redirect_stdout(printed):
        thread.start()
        thread.join(SECONDS)
        if thread.is_alive():
            result.hung = True
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(thread.ident or 0),
                ctypes.py_object(SystemExit),
            )
            thread.join(0.5)
    pairs = enumerate(zip(arguments, given, strict=True), 1)
    result.changed = tuple(n for n, (now, then) in pairs if now != then)
    result.printed = printed.getvalue()[:2_000].rstrip()
    return result


def judge(gap: Gap, function: Any) -> Verdict:
    """Try a function on every case, up to the first that is wrong; meanwhile,
    no part of the learner's is in memlab. *todo* comes without words.
    """
    cases = list(gap.cases(Random(_SEED)))
    with parts.without_parts():
        for case in cases:
            got = run(gap, function, case.given)
            if isinstance(got.error, NotImplementedError):
                return Verdict("todo", ())
            lines = _faults(gap, run(gap, gap.ours, case.given), got)
            if not lines:
                continue
            if got.printed:
                lines += ["printed:", *got.printed.split("\n")]
            if case.rule:
                lines += [f"This case is about: {case.rule}."]
            lines = [*_call(gap, case), *lines, gap.help]
            return Verdict("not yet", tuple(lines))
    return Verdict("pass", (f"{gap.name} ({len(cases)} cases).",))


def _faults(gap: Gap, wanted: Run, got: Run) -> list[str]:
    """Say what is wrong with a result, in lines; nothing if it is right."""
    expected = _lines(wanted.value)
    if wanted.error is not None:
        expected = [f"a {type(wanted.error).__name__}"]
    if got.hung:
        return [f"It was stopped, because it took over {SECONDS:g} seconds."]
    if got.error is not None:
        kinds = [each for each in gap.raises if isinstance(wanted.error, each)]
        if isinstance(got.error, tuple(kinds)):
            return []
        lines = [f"you raised {type(got.error).__name__}: {got.error}"]
        if where := parts.line_of(got.error):
            lines += [f"    in {where}"]
        if isinstance(got.error, NameError):
            lines += [SAME_CELL]
        return [*lines, f"expected:     {expected[0]}", *expected[1:]]
    same = type(got.value) is type(wanted.value) and got.value == wanted.value
    if not same or wanted.error is not None:
        return _differences(expected, _lines(got.value))
    if got.changed and not wanted.changed:
        which = " and ".join(map(str, got.changed))
        said = "The result is right, but your function changed its argument"
        return [f"{said} (number {which})."]
    return []


def _differences(expected: list[str], returned: list[str]) -> list[str]:
    """Show both values; if they are long, only the lines that differ."""
    if len(expected) == len(returned) == 1:
        return [f"expected:     {expected[0]}", f"you returned: {returned[0]}"]
    lines = [
        line.rstrip()
        for line in difflib.ndiff(expected, returned)
        if not line.startswith("?")
    ]
    return ["- expected, + you returned:", *lines[:_MOST_LINES]]


def _call(gap: Gap, case: Case) -> list[str]:
    """Write a case as a call, or as the gap describes it."""
    if gap.call is not None:
        return gap.call(*case.given).split("\n")
    values = ["\n".join(_lines(value)) for value in case.given]
    return f"{gap.name}({', '.join(values)})".split("\n")


def _lines(value: Any) -> list[str]:
    text = pprint.pformat(value, width=_WIDTH, sort_dicts=False)
    return text.splitlines()[:_MOST_LINES]
