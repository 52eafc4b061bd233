"""The YAML between the two ``---`` lines: find it, read it as text, change a
value in place.

YAML is taken as a stream of events and never turned into Python objects. An
event says where in the file it is, so a value can be replaced there and the
rest of the file stays as its author left it. A scan reads thousands of files,
so there is a faster reader for headers of plain ``key: text`` lines. What the
keys mean is said in ``memlab.memdir.memory``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from itertools import takewhile
from typing import Any, NamedTuple

import yaml

from memlab.errors import MemoryFormatError

MAX_BYTES = 1024 * 1024
MAX_KEYS = 1_000
MAX_DEPTH = 20
Keys = tuple[str, ...]
PLAIN_BYTES = 2_000  # a longer header is left to YAML
_FENCED = re.compile(
    "\ufeff?--- *\r?\n(.*?)(^--- *\r?(?:\n|\\Z))", re.DOTALL | re.MULTILINE
)
_NOT_TEXT = re.compile("[\x00\ud800-\udfff]")
_NOT_YAML = re.compile(
    "[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]"
)
_ESCAPED = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_QUOTED = re.compile(r"[-?:,\[\]{}#&*!|>'\"%@` ]|[+.]?\d[\w.:+-]*\Z")
_PLAIN_QUOTED = re.compile(r"'[^']*'|\"[^\"\\]*\"")
# C where PyYAML has it: much faster
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_Fault: Any = yaml.MarkedYAMLError


class Node(NamedTuple):
    """A value (text, or lists and dicts of text) and the part of the file that
    it is in.
    """

    value: Any
    start: int
    end: int


class Frontmatter(NamedTuple):
    """A file in three parts, and each value of the first by the keys that lead
    to it.
    """

    head: str
    fence: str
    body: str
    nodes: Mapping[Keys, Node]

    @property
    def values(self) -> dict[str, Any]:
        """The value of each key at the top level."""
        return {
            keys[0]: node.value
            for keys, node in self.nodes.items()
            if len(keys) == 1
        }


def read(source: bytes | str, where: object) -> Frontmatter:
    """Read the keys at the top of a file; raises MemoryFormatError with the
    line at fault.
    """
    text = _decode(source, where)
    block = _FENCED.match(text)
    if not block:
        what = (
            "frontmatter without an end"
            if "---" in text[:4]
            else "no frontmatter"
        )
        raise error(
            what,
            text,
            0,
            where,
            "Begin with '---', 'key: value' lines and '---'",
        )
    if odd := _NOT_YAML.search(text, 0, block.end(1)):
        raise error(
            f"the character {odd[0]!r}", text, odd.start(), where, "Delete it"
        )
    nodes: dict[Keys, Node] = {}
    try:
        events = _events(re.sub("\\A\ufeff", "\n", text[: block.end(1)]))
        first = next(events)
        top = _read(first, events, (), nodes) or {}
        if not isinstance(top, dict) or next(events, None):
            raise _Fault(
                None,
                None,
                "more or other than 'key: value' lines",
                first.start_mark,
            )
    except (_Fault, ValueError) as fault:
        mark = getattr(fault, "problem_mark", None)
        # an open quote ran to the end: show where it opens
        if mark and mark.index >= block.end(1):
            mark = getattr(fault, "context_mark", None) or mark
        at = mark.index if mark else block.start(1)
        what = (
            "indented by a tab"
            if text[at] == "\t"
            else getattr(fault, "problem", "bad escape")
        )
        do = (
            "Indent by spaces, and quote a value with ': ', ' #' or a special"
            " first character"
        )
        raise error(what, text, at, where, do) from None
    return Frontmatter(
        text[: block.end(1)], block[2], text[block.end() :], nodes
    )


def read_plain(start: bytes) -> Mapping[str, str] | None:
    """Read a header of plain ``key: text`` lines ten times faster than
    ``read`` does.

    ``start`` is the beginning of a file. None where the two might differ.
    """
    end = start.find(b"\n---\n", 3)
    if (
        end < 0
        or end > PLAIN_BYTES
        or not start.startswith(b"---\n")
        or b"\0" in start
    ):
        return None
    try:
        # a body that is no text makes the whole file unreadable
        start.decode()
    except UnicodeDecodeError:
        return None
    return _read_plain_lines(start[4:end])


# The cache says what a text means, and never which text a file has: every file
# is read again.
@lru_cache(maxsize=2_000)
def _read_plain_lines(block: bytes) -> Mapping[str, str] | None:
    values: dict[str, str] = {}
    for line in block.decode().split("\n"):
        key, _, value = line.partition(": ")
        if (
            not (key.isidentifier() and line.isprintable())
            or key in values
            or len(key) > 99
        ):
            return None
        if value[:1].isalnum() and not (
            ": " in value or " #" in value or value[-1] in ": "
        ):
            values[key] = value
        elif _PLAIN_QUOTED.fullmatch(value):
            values[key] = value[1:-1]
        else:
            return None
    return values


def rewrite(front: Frontmatter, wanted: Mapping[Keys, str], body: str) -> str:
    """Put each value in the place of the old one, and the body.

    A new key goes above the closing line; one within a mapping, below the line
    that names the mapping.
    """
    head, nodes = front.head, front.nodes
    line_end = "\r\n" if head.endswith("\r\n") else "\n"
    new = [keys for keys in wanted if keys not in nodes and wanted[keys]]
    changes = [
        (node.start, keys)
        for keys, node in nodes.items()
        if keys in wanted and node.value != wanted[keys]
    ]
    changes += [(nodes[keys[:-1]].start, keys) for keys in new if keys[1:]]
    # from the end, so that the places above stay right
    for start, keys in sorted(changes, reverse=True):
        value = quote(wanted[keys])
        if keys in nodes:
            old = head[start : nodes[keys].end].rstrip(" \t\r\n")
            after = head[start + len(old) :]
            head = head[:start] + (value if old else f" {value}") + after
        else:
            line = head.rfind("\n", 0, start) + 1
            indent = head[line:start]
            added = f"{indent}{quote(keys[-1])}: {value}{line_end}"
            head = head[:line] + added + head[line:]
    for keys in new:
        if not keys[1:]:
            head += f"{quote(keys[0])}: {quote(wanted[keys])}{line_end}"
    return (
        head
        + front.fence
        + ("" if front.fence.endswith("\n") or not body else line_end)
        + body
    )


def can_add(front: Frontmatter, keys: Keys) -> bool:
    """Tell whether ``rewrite`` can add a key: at the top level, or to a
    mapping whose keys are on lines below it.
    """
    if len(keys) == 1:
        return True
    node = front.nodes.get(keys[:-1])
    if node is None or not isinstance(node.value, dict) or not node.value:
        return False
    line = front.head.rfind("\n", 0, node.start) + 1
    indent = front.head[line : node.start]
    return bool(indent) and not indent.strip(" ")


def quote(value: str) -> str:
    """Spell a text so that YAML reads back exactly it: bare where that works,
    else in quotes.
    """
    bare = not _QUOTED.match(value) and not _ESCAPED.search(value)
    # a colon inside, a date that no calendar has
    with suppress(yaml.YAMLError, ValueError):
        if bare and yaml.safe_load(f"key: {value}") == {"key": value}:
            return value
    quoted = json.dumps(value, ensure_ascii=False)
    return _ESCAPED.sub(lambda odd: f"\\U{ord(odd[0]):08X}", quoted)


def error(
    what: str, text: str, at: int, where: object, do: str
) -> MemoryFormatError:
    """Make the error for what is at one offset of a text."""
    return MemoryFormatError(
        what, where=where, line=text.count("\n", 0, at) + 1, do=do
    )


def _decode(source: bytes | str, where: object) -> str:
    raw = (
        source.encode("utf-8", "surrogatepass")
        if isinstance(source, str)
        else source
    )
    if len(raw) > MAX_BYTES:
        what = (
            f"{len(raw):,} bytes are too large: a memory may have"
            f" {MAX_BYTES:,}"
        )
        raise error(what, "", 0, where, "Keep one fact in one memory")
    text = raw.decode("utf-8", "surrogateescape")
    if odd := _NOT_TEXT.search(text):
        what = "a NUL byte" if odd[0] == "\0" else "bytes that are not UTF-8"
        raise error(
            what, text, odd.start(), where, "A memory is a text saved as UTF-8"
        )
    return text


def _events(block: str) -> Iterator[Any]:
    """Give the events of values, and refuse what could make one value stand
    for many.
    """
    for event in yaml.parse(block, Loader=_LOADER):
        if getattr(event, "anchor", None) or getattr(event, "tag", None):
            raise _Fault(
                None,
                None,
                "an anchor, alias or tag (&, * or !)",
                event.start_mark,
            )
        # ValueError: half of a surrogate pair, by an escape
        getattr(event, "value", "").encode()
        if isinstance(event, yaml.NodeEvent | yaml.CollectionEndEvent):
            yield event


def _read(
    event: Any, events: Iterator[Any], keys: Keys, nodes: dict[Keys, Node]
) -> Any:
    """Build the value that starts with this event, and note it under the keys
    that lead to it.
    """
    if len(nodes) >= MAX_KEYS or len(keys) > MAX_DEPTH:
        raise _Fault(
            None,
            None,
            f"over {MAX_KEYS:,} keys or {MAX_DEPTH} levels",
            event.start_mark,
        )
    value = getattr(event, "value", None)
    within = takewhile(
        lambda one: not isinstance(one, yaml.CollectionEndEvent), events
    )
    if isinstance(event, yaml.SequenceStartEvent):
        value = [
            _read(one, events, (*keys, str(at)), nodes)
            for at, one in enumerate(within)
        ]
    elif isinstance(event, yaml.MappingStartEvent):
        value = {}
        for key in within:
            if not isinstance(key, yaml.ScalarEvent) or key.value in value:
                raise _Fault(
                    None,
                    None,
                    "a key twice, or one that is no text",
                    key.start_mark,
                )
            value[key.value] = _read(
                next(events), events, (*keys, key.value), nodes
            )
    nodes[keys] = Node(value, event.start_mark.index, event.end_mark.index)
    return value
