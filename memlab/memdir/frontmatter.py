"""The header of a memory: the YAML between its two ``---`` lines.

A value is the text in the file; YAML never makes a date, a number or an object
of it. The reader notes where each value is, so that ``with_values`` replaces
it there, and the rest of the file stays as its author left it.

Claude Code keeps ``name`` and ``description`` at the top level and moves every
other key below ``metadata``, so these are looked for in both places. What the
keys mean is not known here, but in ``memlab.memdir.memory``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import Any, NamedTuple

import yaml

from memlab.errors import MemoryFormatError

METADATA = "metadata"
TOP_ONLY = ("name", "description")
MAX_BYTES = 1024 * 1024
MAX_NODES = 2_000
MAX_DEPTH = 20
Keys = tuple[str, ...]
Spans = dict[Keys, tuple[int, int]]
# atomic, not possessive: a possessive group fails before Python 3.11.5
_FENCED = re.compile(
    "\ufeff?--- *\r?\n((?>(?:(?!---).*\n)*))(--- *\r?(?:\n|\\Z))"
)
# a header of nothing but these lines needs no parser
_SIMPLE = re.compile(r"---\n((?:\w+: [A-Za-z][\w ,;.()/'-]*\n)+)---\n")
# a line of a plain value that has to be in quotes
_PLAIN = re.compile(r"(?m)^(\w+: +)([^\s\"'>|\[{&*!].*?(?:: | #).*?)[ \r]*$")
_NOT_TEXT = re.compile("[\x00\ud800-\udfff]")
# what JSON leaves as it is in quotes, and YAML does not allow there
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
# the C parser, where PyYAML has it, is ten times faster
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Header(NamedTuple):
    """A file as ``head``, closing ``fence`` and ``body``, with the values in
    the head.

    ``values`` are texts, or lists and dicts of texts. ``spans`` says where in
    the head each is, by the keys that lead to it.
    """

    head: str
    fence: str
    body: str
    values: Mapping[str, Any]
    spans: Spans

    def with_values(self, changed: Mapping[str, str], body: str) -> str:
        """Write the file with some values changed, and with this body.

        A key that is in both places is changed in both; a new one comes last.
        """
        line_end = "\r\n" if self.head.endswith("\r\n") else "\n"
        head, added = self.head, ""
        edits = []
        for key, text in changed.items():
            places = _places(key) & self.spans.keys()
            edits += [(*self.spans[place], quote(text)) for place in places]
            if text and not places:
                added += f"{key}: {quote(text)}{line_end}"
        # from the end, so that the offsets before stay right
        for start, end, value in sorted(edits, reverse=True):
            old = head[start:end].rstrip(" \t\r\n")
            new = value if old else f" {value}"
            head = head[:start] + new + head[start + len(old) :]
        between = line_end if body and not self.fence.endswith("\n") else ""
        return head + added + self.fence + between + body


def text_of(values: Mapping[str, Any], key: str) -> str:
    """Give the text of a key: at the top level, else below ``metadata``."""
    value, below = values.get(key), values.get(METADATA)
    if not value and isinstance(below, dict) and key not in TOP_ONLY:
        value = below.get(key)
    return str(value or "")


def read(source: bytes | str, where: object = "") -> Header:
    """Read the header of a file.

    Raises MemoryFormatError with the line at fault, also for what could make
    one value stand for many: an anchor, an alias or a tag.
    """
    if isinstance(source, str):
        source = source.encode("utf-8", "surrogatepass")
    if len(source) > MAX_BYTES:
        what = f"{len(source):,} bytes are too large: a memory may have {MAX_BYTES:,}"
        raise _fault(what, "", 0, where, "Keep one fact in one memory")
    text = source.decode("utf-8", "surrogateescape")
    odd = _NOT_TEXT.search(text)
    if odd:
        what = "a NUL byte" if odd[0] == "\0" else "bytes that are not UTF-8"
        raise _fault(what, text, odd.start(), where, "Save it as UTF-8")
    block = _FENCED.match(text)
    if block is None:
        what = (
            "frontmatter without an end"
            if "---" in text[:4]
            else "no frontmatter"
        )
        do = "Begin with '---', 'key: value' lines and '---'"
        raise _fault(what, text, 0, where, do)
    head = text[: block.end(1)]
    spans: Spans = {}
    try:
        # the C parser does not count a byte order mark
        counted = f"\n{head[1:]}" if head[0] == "\ufeff" else head
        events = yaml.parse(counted, Loader=_LOADER)
        _, _, first = islice(events, 3)  # after the start of the document
        values = _texts(first, events, (), spans) or {}
        _, _ = events  # raises for what is left, if it is not the end
        if not isinstance(values, dict):
            raise _odd(first, "more or other than 'key: value' lines")
    except (yaml.YAMLError, ValueError) as error:
        what = getattr(error, "problem", None) or "a bad escape or character"
        mark = getattr(error, "problem_mark", None)
        # an open quote ran to the end: show where it opens
        if mark and mark.index >= len(head):
            mark = getattr(error, "context_mark", None) or mark
        at = mark.index if mark else getattr(error, "position", 0)
        do = "Indent by spaces, and quote a value with ': ' or ' #'"
        raise _fault(what, text, at, where, do) from None
    return Header(head, block[2], text[block.end() :], values, spans)


def read_simple(source: bytes) -> Mapping[str, str]:
    """Read the values of a header of plain lines, ten times faster than
    ``read`` does; empty for any other one.
    """
    text = source.decode("utf-8", "surrogateescape")
    found = None if _NOT_TEXT.search(text) else _SIMPLE.match(text)
    lines = found[1].splitlines() if found else []
    values = dict(line.rstrip(" ").split(": ", 1) for line in lines)
    return values if len(values) == len(lines) else {}


def with_quotes(source: bytes) -> bytes:
    """Quote the values that YAML would not read as one text because of a colon
    or a number sign in them, if the header can be read then.
    """
    with suppress(MemoryFormatError):
        read(source)
        return source
    with suppress(MemoryFormatError, UnicodeDecodeError):
        head, fence, rest = source.decode().partition("\n---")
        quoted = _PLAIN.sub(
            lambda one: one[1] + json.dumps(one[2], ensure_ascii=False), head
        )
        made = f"{quoted}{fence}{rest}".encode()
        read(made)
        return made
    return source


def quote(value: str) -> str:
    """Spell a text so that YAML reads back exactly it: bare where that works,
    else in quotes.
    """
    # ValueError: a date that no calendar has
    with suppress(yaml.YAMLError, ValueError):
        if value.isprintable() and yaml.safe_load(f"key: {value}") == {
            "key": value
        }:
            return value
    quoted = json.dumps(value, ensure_ascii=False)
    return _ESCAPED.sub(lambda odd: f"\\U{ord(odd[0]):08X}", quoted)


def _fault(what: str, text: str, at: int, where: object, do: str) -> Exception:
    return MemoryFormatError(
        what, where=where, line=text.count("\n", 0, at) + 1, do=do
    )


def _places(key: str) -> set[Keys]:
    return {(key,)} if key in TOP_ONLY else {(key,), (METADATA, key)}


def _texts(event: Any, events: Iterator[Any], keys: Keys, spans: Spans) -> Any:
    """Give the texts of the node that begins with an event, and note where
    they are.
    """
    if event.anchor or event.tag:
        raise _odd(event, "an anchor, alias or tag (&, * or !)")
    # more could exhaust the stack
    if len(keys) > MAX_DEPTH or len(spans) > MAX_NODES:
        raise _odd(event, f"over {MAX_NODES:,} values or {MAX_DEPTH} levels")
    spans[keys] = event.start_mark.index, event.end_mark.index
    if isinstance(event, yaml.ScalarEvent):
        return event.value
    is_list = isinstance(event, yaml.SequenceStartEvent)
    found: dict[str, Any] = {}
    for child in events:
        if isinstance(child, yaml.CollectionEndEvent):
            break
        key = str(len(found)) if is_list else getattr(child, "value", None)
        if key is None or key in found:
            raise _odd(child, "a key twice, or one that is no text")
        value = child if is_list else next(events)
        found[key] = _texts(value, events, (*keys, key), spans)
    spans[keys] = event.start_mark.index, child.end_mark.index
    return list(found.values()) if is_list else found


def _odd(at: Any, what: str) -> Exception:
    return yaml.MarkedYAMLError(None, None, what, at.start_mark)
