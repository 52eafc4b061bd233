"""How the course answers what a learner has written: the verdict of
``check``, with the difference between two values marked.

The same lines are shown as coloured HTML in a notebook and as plain text
elsewhere. A mark says everything that a colour says.
"""

from __future__ import annotations

import linecache
import re
import sys
import textwrap
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from html import escape
from pprint import pformat
from typing import Any, Literal, NamedTuple

from memlab.text import shorten

WIDTH = 79
_ROW = 13
_VALUE_WIDTH = 52
_LONGEST_LINE = 240
_CONTEXT = 2
_MOST_LINES = 14
_MOST_CHARACTERS = 20_000

State = Literal["todo", "not yet", "pass"]
Mark = Literal["", "yours", "expected", "faint"]

_SIGNS: dict[str, tuple[str, str]] = {
    "todo": ("○", "#57606a"),
    "not yet": ("✗", "#b4232c"),
    "pass": ("✓", "#1a7f37"),
}
# Dark letters on an opaque light ground can be read in both themes.
_STYLES: dict[Mark, tuple[str, str]] = {
    "yours": (
        "del",
        "text-decoration:underline;background:#ffd7d5;color:#6e0911",
    ),
    "expected": (
        "ins",
        "text-decoration:underline;background:#c4f1cd;color:#0b3d17",
    ),
    "faint": ("span", "opacity:.8"),
}


class Span(NamedTuple):
    """A piece of a line, and how it is marked."""

    text: str
    mark: Mark = ""


Line = tuple[Span, ...]


class Row(NamedTuple):
    """A label, such as *you returned*, and the lines to the right of it."""

    label: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, repr=False)
class Verdict:
    """What ``check`` says: *todo*, *not yet* or *pass*, with a title, rows and
    a closing sentence.
    """

    state: State
    title: tuple[str, ...]
    rows: tuple[Row, ...] = ()
    closing: str = ""
    links: str = ""

    @property
    def passed(self) -> bool:
        """Whether every case was right."""
        return self.state == "pass"

    def with_note(self, sentence: str) -> Verdict:
        """Add a sentence at the end, such as who calls the function now."""
        sentence = sentence_of(sentence)
        if self.passed and not self.rows:
            title = wrapped(f"{' '.join(self.title)} {sentence}", WIDTH - 8)
            return replace(self, title=tuple(title.split("\n")))
        return replace(self, closing=f"{self.closing} {sentence}".strip())

    def refused(self, sentence: str) -> Verdict:
        """Turn a *pass* into a *not yet*: it cannot be saved, for the reason
        that the sentence gives.
        """
        right = " ".join(self.title).rstrip(".")
        title = f"{right} is right, but it does not count yet."
        found = replace(self, state="not yet", title=(title,))
        return found.with_note(sentence)

    def __str__(self) -> str:
        sign = _SIGNS[self.state][0]
        head, *rest = self._lines()
        lines = [f"{sign} {self.state}  {_plain(head)}"]
        for line in rest:
            lines.append(_plain(line))
            lines += _carets(line)
        return "\n".join(line.rstrip() for line in lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        first, *rest = self._lines()
        head = f"{badge(self.state, *_SIGNS[self.state])} {_html(first)}"
        return preformatted("\n".join([head, *map(_html, rest)]))

    def _lines(self) -> Iterator[Line]:
        indent = " " * (len(self.state) + 4)
        for number, text in enumerate(self.title):
            yield (Span(text if number == 0 else indent + text),)
        width = max([len(row.label) for row in self.rows], default=0) + 2
        for row in self.rows:
            for number, line in enumerate(row.lines):
                label = row.label if number == 0 else ""
                yield (Span(" " * _ROW + label.ljust(width)), *line)
        for text in _closing_lines(self.closing, self.links):
            yield (Span(" " * _ROW + text),)


def badge(word: str, sign: str, colour: str) -> str:
    """Show a sign and a word in white letters on a colour, as HTML."""
    style = (
        f"background:{colour};color:#ffffff;font-weight:bold;"
        "border-radius:3px;padding:1px 6px"
    )
    return f'<span style="{style}">{sign} {escape(word)}</span>'


def preformatted(html: str) -> str:
    """Keep the lines and spaces of a piece of HTML; a line that is too long
    breaks between words.
    """
    style = (
        "white-space:pre-wrap;word-break:normal;overflow-wrap:break-word;"
        "line-height:1.5"
    )
    return f'<pre style="{style}">{html}</pre>'


def show(message: Any) -> None:
    """Display a message in a notebook, and print it elsewhere."""
    ipython = sys.modules.get("IPython")
    if ipython is None or ipython.get_ipython() is None:
        print(message)
        return
    from IPython.display import display

    display(message)  # type: ignore[no-untyped-call]


def wrapped(text: str, width: int = WIDTH, indent: str = "") -> str:
    """Break a text into lines, between words only."""
    return "\n".join(
        textwrap.wrap(
            text,
            width,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    )


def sentence_of(text: str) -> str:
    """Begin a text with a capital letter, unless it begins with a name in
    code, and end it with a full stop.
    """
    text = text.strip()
    first = text.split(" ", 1)[0]
    if first.isalpha():
        text = text[0].upper() + text[1:]
    return text if not text or text[-1] in ".!?" else f"{text}."


# The verdicts


def todo(name: str, where: str = "", meanwhile: str = "") -> Verdict:
    """Say in one line that something is not written yet, and what happens if
    the learner goes on without it.
    """
    said = f"{name} is not written yet"
    if where:
        said += f" for {where}"
    if meanwhile:
        said += f": {meanwhile}"
    return Verdict("todo", (f"{said} · {links_for(name)}",))


def all_passed(name: str, cases: int, printed: str = "") -> Verdict:
    """Say that every case was right; ``printed`` is what the first one
    printed.
    """
    rows = printed_rows(printed, "printed first")
    return Verdict("pass", (f"{name} ({cases} cases).",), rows)


def refusal(sentence: str, name: str = "") -> Verdict:
    """Say what is wrong before any case was tried."""
    links = links_for(name) if name else ""
    first, *rest = wrapped(sentence_of(sentence), WIDTH - 11).split("\n")
    return Verdict("not yet", (first, *rest), links=links)


def wrong_value(
    name: str,
    call: Sequence[str],
    values: Sequence[Row],
    observation: str,
    printed: str = "",
) -> Verdict:
    """Say for which input the result was wrong, with both values."""
    return Verdict(
        "not yet",
        tuple(call),
        (*values, *printed_rows(printed)),
        sentence_of(observation),
        links_for(name),
    )


def raised(
    name: str,
    call: Sequence[str],
    error: BaseException,
    files: Collection[str],
    expected: Row,
    observation: str = "",
    printed: str = "",
) -> Verdict:
    """Say for which input something was raised: its type, its message and the
    learner's own line. ``observation`` is a sentence about it.
    """
    kind = type(error).__name__
    said = shorten(str(error), 400)
    lines = wrapped(f"{kind}: {said}" if said else kind, _VALUE_WIDTH)
    found = place_of(error, files)
    if found:
        number, source = found
        at = f"in line {number}"
        where = f"{at}: {source}" if source else at
        lines += "\n" + wrapped(where, _VALUE_WIDTH, indent="    ")
    row = Row("you raised", tuple((Span(line),) for line in lines.split("\n")))
    return Verdict(
        "not yet",
        tuple(call),
        (row, expected, *printed_rows(printed)),
        sentence_of(observation),
        links_for(name),
    )


def never_returned(
    name: str,
    call: Sequence[str],
    seconds: float,
    expected: Row,
    printed: str = "",
) -> Verdict:
    """Say for which input the function was stopped."""
    stopped = f"nothing: it was stopped, as it took over {seconds:g} seconds"
    row = Row("you returned", ((Span(stopped),),))
    return Verdict(
        "not yet",
        tuple(call),
        (row, expected, *printed_rows(printed)),
        links=links_for(name),
    )


def links_for(name: str) -> str:
    """Name the two calls that help."""
    return f'hint("{name}") · solution("{name}")'


def printed_rows(printed: str, label: str = "printed") -> tuple[Row, ...]:
    """Show what was printed, without an empty row where nothing was."""
    if not printed.strip():
        return ()
    lines = [
        shorten_line(line.rstrip())
        for line in printed.rstrip("\n").split("\n")
    ]
    return (plain_row(label, lines),)


def in_words(label: str, text: str) -> Row:
    """Make a row with a text that breaks between words."""
    lines = wrapped(text, _VALUE_WIDTH).split("\n")
    return Row(label, tuple((Span(line),) for line in lines))


def plain_row(label: str, lines: Sequence[str]) -> Row:
    """Make a row of lines that are not compared with others."""
    return Row(label, _capped([(Span(line),) for line in lines]))


# Values


def value_lines(value: Any, width: int = _VALUE_WIDTH) -> list[str]:
    """Write a value as Python would, over several lines if it is long."""
    text = _repr(value)
    if len(text) > _MOST_CHARACTERS:
        text = f"{text[:_MOST_CHARACTERS]}… ({len(text):,} characters)"
    elif len(text) > width:
        with suppress(Exception):
            text = pformat(value, width=width, sort_dicts=False)
    if isinstance(value, str) and text.startswith("("):
        text = text[1:-1].replace("\n ", "\n")
    text = re.sub(r"<(?:function|bound method) (\S+)[^>]*>", r"\1", text)
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", text)
    return [shorten_line(line) for line in text.split("\n")]


def _repr(value: Any) -> str:
    """Write a value in one line, even if its own ``repr`` fails."""
    try:
        return repr(value)
    except Exception as error:
        kind = type(error).__name__
        return f"<{type(value).__name__}, whose repr raised {kind}: {error}>"


def shorten_line(line: str) -> str:
    """Cut a line that no screen could show, and say how long it was."""
    if len(line) <= _LONGEST_LINE:
        return line
    return f"{line[:_LONGEST_LINE]}… ({len(line):,} characters)"


def call_lines(
    name: str, parameters: Sequence[str], arguments: Sequence[Any]
) -> list[str]:
    """Write a call in one line, or with one argument in each line."""
    labels = [f"{parameter}=" for parameter in parameters]
    # a class is not called with the arguments of a case
    labels = labels or [""] * len(arguments)
    pieces = [
        value_lines(value, WIDTH - 16 - len(label))
        for label, value in zip(labels, arguments, strict=True)
    ]
    if all(len(lines) == 1 for lines in pieces):
        line = f"{name}({', '.join(lines[0] for lines in pieces)})"
        if len(line) <= WIDTH - 11:
            return [line]
    found = [f"{name}("]
    for label, lines in zip(labels, pieces, strict=True):
        more = len(lines) - _MOST_LINES
        if more > 1:
            lines = [*lines[:_MOST_LINES], f"… {more} more lines"]
        for number, line in enumerate(lines):
            before = label if number == 0 else " " * len(label)
            after = "," if number == len(lines) - 1 else ""
            found.append(f"    {before}{line}{after}")
    return [*found, ")"]


def compared(
    returned: Any, expected: Any, label: str = "you returned"
) -> tuple[Row, Row]:
    """Make the rows of two values, in which what differs is marked."""
    returned = _in_order_of(expected, returned)
    return compared_lines(value_lines(returned), value_lines(expected), label)


def compared_lines(
    returned: Sequence[str],
    expected: Sequence[str],
    label: str = "you returned",
) -> tuple[Row, Row]:
    """Make two rows of several lines, in which what differs is marked."""
    yours: list[Line] = []
    wanted: list[Line] = []
    if len(returned) == len(expected) == 1:
        left, right = _marked(returned[0], expected[0])
        return Row(label, (left,)), Row("expected", (right,))
    codes = SequenceMatcher(None, returned, expected, False).get_opcodes()
    for what, first, last, start, end in codes:
        left_lines, right_lines = returned[first:last], expected[start:end]
        if what == "equal":
            same = _folded(left_lines)
            yours += same
            wanted += same
        elif len(left_lines) == len(right_lines):
            for one, other in zip(left_lines, right_lines, strict=True):
                left, right = _marked(one, other)
                yours.append((Span("- ", "yours"), *left))
                wanted.append((Span("+ ", "expected"), *right))
        else:
            for line in left_lines:
                yours.append((Span(f"- {line}", "yours"),))
            for line in right_lines:
                wanted.append((Span(f"+ {line}", "expected"),))
    return Row(label, _capped(yours)), Row("expected", _capped(wanted))


def _in_order_of(expected: Any, returned: Any) -> Any:
    """Put the keys of a dict into the order of another, because the order of
    keys is no difference.
    """
    if not (type(expected) is dict and type(returned) is dict):
        return returned
    keys = [key for key in expected if key in returned]
    keys += [key for key in returned if key not in expected]
    return {key: returned[key] for key in keys}


def _folded(lines: Sequence[str]) -> list[Line]:
    """Leave out the middle of lines that are equal on both sides."""
    found: list[Line] = [(Span(f"  {line}"),) for line in lines]
    more = len(lines) - 2 * _CONTEXT
    if more > 1:
        note = (Span(f"  … {more} equal lines", "faint"),)
        found[_CONTEXT:-_CONTEXT] = [note]
    return found


def _capped(lines: Sequence[Line]) -> tuple[Line, ...]:
    more = len(lines) - _MOST_LINES
    if more < 2:
        return tuple(lines) or ((Span("(no line)", "faint"),),)
    return (*lines[:_MOST_LINES], (Span(f"… {more} more lines", "faint"),))


_TOKEN = re.compile(r"\\.|\w+|.", re.DOTALL)


def _marked(yours: str, expected: str) -> tuple[Line, Line]:
    """Mark the words and signs in which two lines differ."""
    mine, wanted = _TOKEN.findall(yours), _TOKEN.findall(expected)
    matcher = SequenceMatcher(None, mine, wanted, False)
    shared = [
        token
        for block in matcher.get_matching_blocks()
        for token in mine[block.a : block.a + block.size]
    ]
    if not any(map(str.isalnum, shared)):
        return (Span(yours, "yours"),), (Span(expected, "expected"),)
    left: list[Span] = []
    right: list[Span] = []
    for what, first, last, start, end in matcher.get_opcodes():
        same = what == "equal"
        if first < last:
            text = "".join(mine[first:last])
            left.append(Span(text, "" if same else "yours"))
        if start < end:
            text = "".join(wanted[start:end])
            right.append(Span(text, "" if same else "expected"))
    return tuple(left), tuple(right)


# What is said about a difference


def observe(returned: Any, expected: Any) -> str:
    """Say in one sentence what the difference between two values is; empty if
    it is not of a kind that can be named.
    """
    if returned is None:
        return "None means that some path through the function has no return"
    if type(returned) is not type(expected):
        came, wanted = _kind(returned), _kind(expected)
        return f"the result is {came}, but {wanted} is expected"
    if isinstance(expected, bool):
        return ""
    if isinstance(expected, int):
        return {1: "it is one too many", -1: "it is one too few"}.get(
            returned - expected, ""
        )
    if isinstance(expected, str):
        return _observe_text(returned, expected)
    if isinstance(expected, list | tuple):
        return _observe_items(returned, expected)
    if isinstance(expected, dict):
        return _observe_dict(returned, expected)
    return ""


def _observe_text(returned: str, expected: str) -> str:
    if returned == expected:
        return ""
    if "".join(returned.split()) == "".join(expected.split()):
        return "only white space differs"
    if returned.casefold() == expected.casefold():
        return "only upper and lower case differ"
    if not returned or not expected:
        return ""
    if expected.startswith(returned):
        return f"the end is missing: {_named(expected[len(returned) :])}"
    if expected.endswith(returned):
        return (
            f"the beginning is missing: {_named(expected[: -len(returned)])}"
        )
    if returned.startswith(expected):
        return f"{_named(returned[len(expected) :])} is left over at the end"
    if returned.endswith(expected):
        return (
            f"{_named(returned[: -len(expected)])} is left over at the"
            " beginning"
        )
    return ""


def _observe_items(returned: Sequence[Any], expected: Sequence[Any]) -> str:
    came, wanted = Counter(map(_repr, returned)), Counter(map(_repr, expected))
    missing, extra = list(wanted - came), list(came - wanted)
    if not missing and not extra:
        return "the items are right, but their order is not"
    if missing and not extra:
        return f"{_several(missing)} missing"
    if extra and not missing:
        if all(item in wanted for item in extra):
            return f"{_several(extra)} there more often than expected"
        return f"{_several(extra)} not expected"
    places = [
        number
        for number, (one, other) in enumerate(
            zip(returned, expected, strict=False)
        )
        if one != other
    ]
    if len(returned) == len(expected) and len(places) == 1:
        place = places[0]
        inner = observe(returned[place], expected[place])
        found = f"item {place + 1} differs"
        return (
            f"{found}: {inner}" if inner and "differs" not in inner else found
        )
    return ""


def _observe_dict(returned: dict[Any, Any], expected: dict[Any, Any]) -> str:
    missing = [_repr(key) for key in expected if key not in returned]
    extra = [_repr(key) for key in returned if key not in expected]
    if missing and not extra:
        keys = "the key" if len(missing) == 1 else "the keys"
        return f"{keys} {_several(missing)} missing"
    if extra and not missing:
        keys = "the key" if len(extra) == 1 else "the keys"
        return f"{keys} {_several(extra)} not expected"
    if missing:
        return ""
    differing = [key for key in expected if returned[key] != expected[key]]
    if len(differing) != 1:
        return ""
    key = differing[0]
    inner = observe(returned[key], expected[key])
    found = f"only the value of {_named(key)} differs"
    return f"{found}: {inner}" if inner else found


def _several(items: Sequence[str]) -> str:
    """Name items, or count them if they are long, with the verb."""
    if any(len(item) > 40 for item in items):
        return "an item is" if len(items) == 1 else f"{len(items)} items are"
    shown = list(items[:3])
    if len(items) == 1:
        return f"{shown[0]} is"
    more = len(items) - len(shown)
    if more:
        return f"{', '.join(shown)} and {more} more are"
    return f"{', '.join(shown[:-1])} and {shown[-1]} are"


def _kind(value: Any) -> str:
    name = type(value).__name__
    return f"an {name}" if name[0].lower() in "aeiou" else f"a {name}"


def _named(value: Any) -> str:
    return shorten(_repr(value), 40)


# Where something was raised


def place_of(
    error: BaseException, files: Collection[str]
) -> tuple[int, str] | None:
    """Return the number and the text of the innermost line that the learner
    wrote: in these files, or in any cell.
    """
    found = None
    trace = error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file in files or is_cell(file):
            found = (file, trace.tb_lineno)
        trace = trace.tb_next
    if found is None:
        return None
    return found[1], linecache.getline(*found).strip()


def files_of(thing: Any) -> set[str]:
    """Return the files, or cells, that a function or the methods of a class
    come from.
    """
    functions = [thing]
    if isinstance(thing, type):
        functions = list(vars(thing).values())
    return {
        function.__code__.co_filename
        for function in functions
        if hasattr(function, "__code__")
    }


def is_cell(file: str) -> bool:
    """Tell whether a file's name is the one that IPython gives to a cell."""
    return "ipykernel_" in file or file.startswith("<ipython-input")


# Plain text and HTML


def _closing_lines(closing: str, links: str) -> list[str]:
    """Put the help behind the closing sentence if there is room for it."""
    width = WIDTH - _ROW
    lines = wrapped(closing, width).split("\n") if closing else []
    if not links:
        return lines
    if lines and len(lines[-1]) + 1 + len(links) <= width:
        return [*lines[:-1], f"{lines[-1]} {links}"]
    if len(links) <= width:
        return [*lines, links]
    return [*lines, *links.split(" · ")]


def _plain(line: Iterable[Span]) -> str:
    return "".join(span.text for span in line)


def _carets(line: Line) -> list[str]:
    """Point at what is marked, unless that is all or a sign does it."""
    value = [span for span in line[1:] if span.text]
    marked = [span for span in value if span.mark in ("yours", "expected")]
    if not marked or len(marked) == len(value):
        return []
    if value[0].text in ("- ", "+ ") and len(marked) == len(value) - 1:
        return []
    pointed = " " * len(line[0].text)
    for span in value:
        sign = "^" if span in marked else " "
        pointed += "  " if span.text in ("- ", "+ ") else sign * len(span.text)
    return [pointed] if "^" in pointed else []


def _html(line: Iterable[Span]) -> str:
    return "".join(map(_html_span, line))


def _html_span(span: Span) -> str:
    text = escape(span.text)
    if not span.mark:
        return text
    tag, style = _STYLES[span.mark]
    return f'<{tag} style="{style}">{text}</{tag}>'
