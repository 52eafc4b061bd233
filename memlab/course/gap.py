"""What a gap is, and how a learner's function is judged: on every case, beside
memlab's own version.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import difflib
import functools
import inspect
import io
import linecache
import pkgutil
import pprint
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from random import Random
from typing import Any

from memlab.course import gaps, parts
from memlab.course.messages import Verdict, links_for, todo
from memlab.course.raising import TooLongError, clear_flag, raise_in

SECONDS = 5.0
"""How long a function may take for one case."""
SEED = 20260330
_MOST_LINES = 24
_WIDTH = 68


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
    def notebook(self) -> int:
        """The number of the notebook: that of the module with the cases."""
        return int(self.cases.__module__[-2:])


@functools.cache
def all_gaps() -> Mapping[str, Gap]:
    """Return every gap by name, in the order of the notebooks."""
    found = {}
    for module in sorted(
        each.name for each in pkgutil.iter_modules(gaps.__path__)
    ):
        for value in vars(import_module(f"{gaps.__name__}.{module}")).values():
            if isinstance(value, Gap):
                found[value.name] = value
    return found


@dataclass
class Run:
    """What came of one call."""

    value: Any = None
    error: BaseException | None = None
    printed: str = ""
    changed: bool = False
    hung: bool = False


def run(gap: Gap, function: Any, given: tuple[Any, ...]) -> Run:
    """Call a function with its own copy of an input, in a thread that is ended
    if it does not come back.
    """
    result = Run(hung=True)
    mine, printed = copy.deepcopy(given), io.StringIO()
    can_compare = mine == given

    def work() -> None:
        try:
            result.value = gap.watch(function, *mine)
        except BaseException as error:  # SystemExit is an answer, too
            result.error = error
        if not isinstance(result.error, TooLongError):
            result.hung = False

    thread = threading.Thread(target=work, daemon=True)
    with contextlib.redirect_stdout(printed):
        thread.start()
        thread.join(SECONDS)
        if thread.is_alive():
            raise_in(thread.ident or 0, TooLongError)
            thread.join(0.5)
            clear_flag()
    result.changed = can_compare and mine != given
    result.printed = printed.getvalue()[:2_000]
    return result


@functools.cache
def _expected(gap: Gap) -> list[tuple[Case, Run]]:
    """Run the right answer on every case; it has to return, or to raise what
    the gap names.
    """
    found = []
    for case in gap.cases(Random(SEED)):
        wanted = run(gap, gap.ours, case.given)
        allowed = wanted.error is None or isinstance(wanted.error, gap.raises)
        if wanted.hung or not allowed:
            raise ValueError(f"{gap.name}: ours fails on {case}: {wanted}")
        found.append((case, wanted))
    return found


def judge(gap: Gap, function: Any) -> Verdict:
    """Try a function on every case, up to the first that is wrong; meanwhile,
    no part of the learner's is in memlab.
    """
    with parts.without_parts():
        expected = _expected(gap)
        for case, wanted in expected:
            got = run(gap, function, case.given)
            if isinstance(got.error, NotImplementedError):
                return todo(gap.name)
            if lines := _fault(gap, wanted, got):
                if got.printed.strip():
                    lines += ["printed:", *got.printed.rstrip().split("\n")]
                if case.rule:
                    lines += [f"This case is about: {case.rule}."]
                title = (*_call_lines(gap, case), *lines)
                return Verdict("not yet", title, links=links_for(gap.name))
    return Verdict("pass", (f"{gap.name} ({len(expected)} cases).",))


def _fault(gap: Gap, wanted: Run, got: Run) -> list[str]:
    """Say what is wrong with a result, in lines; nothing if it is right."""
    if got.hung:
        return [f"It was stopped, because it took over {SECONDS:g} seconds."]
    if got.error is not None:
        kinds = [each for each in gap.raises if isinstance(wanted.error, each)]
        if any(isinstance(got.error, kind) for kind in kinds):
            return []
        kind, found = type(got.error).__name__, parts.line_of(got.error)
        lines = [f"you raised {kind}: {got.error}".rstrip(": ")]
        if found:
            lines += [f"    in line {found[0]}: {found[1]}"]
        if isinstance(got.error, NameError):
            lines += [
                "Put what it uses into the same cell: a part stands alone."
            ]
        return [*lines, *_differences(wanted, None)]
    right = type(got.value) is type(wanted.value) and got.value == wanted.value
    if wanted.error is not None or not right:
        return _differences(wanted, got)
    if got.changed and not wanted.changed:
        return ["The result is right, but your function changed its argument."]
    return []


def _differences(wanted: Run, got: Run | None) -> list[str]:
    """Show both values; if they are long, only the lines that differ."""
    expected = _lines(wanted.value)
    if wanted.error is not None:
        expected = [f"a {type(wanted.error).__name__}"]
    if got is None:
        lines = [f"expected:     {expected[0]}", *expected[1:]]
        return lines[:_MOST_LINES]
    returned = _lines(got.value)
    if len(expected) == len(returned) == 1:
        return [
            f"expected:     {expected[0]}",
            f"you returned: {returned[0]}",
        ]
    lines = [
        line.rstrip()
        for line in difflib.ndiff(expected, returned)
        if line[0] != "?"
    ]
    return ["- expected, + you returned:", *lines[:_MOST_LINES]]


def _call_lines(gap: Gap, case: Case) -> list[str]:
    """Write a case as a call, or as the gap describes it."""
    if gap.call is not None:
        return gap.call(*case.given).split("\n")
    values = [_lines(value) for value in case.given]
    in_one = f"{gap.name}({', '.join(lines[0] for lines in values)})"
    if all(len(lines) == 1 for lines in values) and len(in_one) <= _WIDTH:
        return [in_one]
    found = [f"{gap.name}("]
    for lines in values:
        found += [f"    {line}" for line in lines[:_MOST_LINES]]
        found[-1] += ","
    return [*found, ")"]


def _lines(value: Any) -> list[str]:
    text = pprint.pformat(value, width=_WIDTH, sort_dicts=False)
    return text.splitlines()


# Sources


def load(name: str, source: str, file: str = "") -> Any:
    """Run a part's source alone, as the next notebook will; returns its
    function or class.
    """
    from memlab.course import my

    names = {"__name__": "__main__", "my": my}
    return _run_source(name, source, file or f"<{name}>", names)


def _run_source(
    name: str, source: str, file: str, names: dict[str, Any]
) -> Any:
    lines = source.splitlines(keepends=True)
    linecache.cache[file] = (len(source), None, lines, file)
    exec(compile(source, file, "exec", dont_inherit=True), names)
    return names[name]


def wrong_answers(gap: Gap) -> Iterator[tuple[Any, str]]:
    """Return each wrong answer, with words that its message has to contain.

    They run in a copy of the globals of the right answer's module.
    """
    right = inspect.getsource(gap.ours)
    module = vars(sys.modules[gap.ours.__module__])
    for number, (source, *edit, words) in enumerate(gap.wrong):
        if edit:
            if right.count(source) != 1:
                raise ValueError(f"{gap.name}: {source!r} is not in it once")
            source = right.replace(source, edit[0])
        source = "from __future__ import annotations\n" + source
        names = {**module, "__name__": "__main__"}
        file = f"<wrong answer {number} to {gap.name}>"
        yield _run_source(gap.name, source, file, names), words


def stand_alone(thing: Any) -> str:
    """Return the source of a function or class with the imports, constants and
    helpers of its module that it needs; a class of the module is imported.
    """
    statements = _statements(sys.modules[thing.__module__])
    imports: set[str] = set()
    pieces: list[str] = []
    known = {thing.__name__}

    def need(source: str) -> None:
        nodes = list(ast.walk(ast.parse(source)))
        own = {node.arg for node in nodes if isinstance(node, ast.arg)}
        for node in nodes:
            name = getattr(node, "id", "")
            if name in known | own or name not in statements:
                continue
            known.add(name)
            found = statements[name]
            if found.startswith(("import ", "from ")):
                imports.add(found)
            elif found.startswith(("class ", "@dataclass")):
                imports.add(f"from {thing.__module__} import {name}")
            else:
                need(found)
                pieces.append(found)

    source = inspect.getsource(thing).rstrip()
    need(source)
    in_order = sorted(imports, key=lambda line: (line[0] == "f", line))
    everything = ["\n".join(in_order), *pieces, source]
    return "\n\n\n".join(filter(None, everything)) + "\n"


def _statements(module: Any) -> dict[str, str]:
    """Return the statements at the top of a module by the names they bind."""
    text = inspect.getsource(module)
    found = {}
    nodes = ast.parse(text).body
    for node in list(nodes):
        if isinstance(node, ast.If):  # if TYPE_CHECKING
            nodes += node.body
    lines = text.splitlines()
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                one = copy.copy(node)
                one.names = [alias]
                name = alias.asname or alias.name.partition(".")[0]
                found[name] = ast.unparse(one)
            continue
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(each.lineno for each in decorators)])
        source = "\n".join(lines[first - 1 : node.end_lineno])
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = source
        targets = getattr(node, "targets", [getattr(node, "target", None)])
        for target in targets:
            if isinstance(target, ast.Name):
                found[target.id] = source
    return found
