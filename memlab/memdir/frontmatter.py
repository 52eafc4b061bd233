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
from collections.abc import Mapping
from contextlib import suppress
from operator import itemgetter
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
# Without these marks, each level and each value has a line of its own.
_MAY_BE_ODD = re.compile(
    r"[&*!\[{?%]|-\s+-|(?<=[\s\S]{2})^(?:---|\.\.\.)", re.M
)
_FENCED = re.compile(
    "\ufeff?--- *\r?\n(.*?)(^--- *\r?(?:\n|\\Z))", re.DOTALL | re.MULTILINE
)
_NOT_TEXT = re.compile("[\x00\ud800-\udfff]")
# what JSON leaves as it is in quotes, and YAML does not allow there
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
# what begins as something else than text, or may be a number or a date
_NOT_BARE = re.compile(r"[-?:,\[\]{}#&*!|>'\"%@` ]|[+.]?\d[\w.:+-]*\Z")
# a key, and nothing, a value in simple quotes, or a bare one without ``: ``
# and `` #``
_PLAIN_LINE = re.compile(
    r"([^\W\d]\w{0,99}):(?: (?:'([^']*)'|\"([^\"\\]*)\""
    r"|([^\W_][^:#]*(?:(?::(?! )|(?<! )#)[^:#]*)*(?<![: ])))?)?"
)
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

        A key that is in both places is changed in both. A new one goes below
        ``metadata``, if the file has that and no type at the top level.
        """
        line_end = "\r\n" if self.head.endswith("\r\n") else "\n"
        edits = []
        for key, text in changed.items():
            value = quote(text)
            places = _places(key) & self.spans.keys()
            for start, end in (self.spans[place] for place in places):
                old = self.head[start:end].rstrip(" \t\r\n")
                new = value if old else f" {value}"
                edits.append((start, start + len(old), new))
            if text and not places:
                at, indent = self._end_of_keys(key)
                edits.append((at, at, f"{indent}{key}: {value}{line_end}"))
        head = self.head
        # from the end, so that the offsets before stay right
        edits.reverse()
        edits.sort(key=itemgetter(0), reverse=True)
        for start, end, new in edits:
            head = head[:start] + new + head[end:]
        between = line_end if body and not self.fence.endswith("\n") else ""
        return head + self.fence + between + body

    def _end_of_keys(self, key: str) -> tuple[int, str]:
        """Give the offset and the indentation of the line for a new key."""
        moved = ("type",) not in self.spans and (METADATA, key) in _places(key)
        if moved and isinstance(self.values.get(METADATA), dict):
            start, _ = self.spans[METADATA,]
            line = self.head.rfind("\n", 0, start) + 1
            indent = self.head[line:start]
            if indent and not indent.strip(" "):
                return line, indent
        return len(self.head), ""


def value_of(values: Mapping[str, Any], key: str) -> Any:
    """Give the value of a key: at the top level, else below ``metadata``."""
    value, below = values.get(key), values.get(METADATA)
    if not value and isinstance(below, dict) and key not in TOP_ONLY:
        value = below.get(key)
    return value


def read(source: bytes | str, where: object = "") -> Header:
    """Read the header of a file.

    Raises MemoryFormatError with the line at fault, also for what could make
    one value stand for many: an anchor, an alias or a tag.
    """
    text = _decode(source, where)
    block = _FENCED.match(text)
    if block is None:
        is_open = "---" in text[:4]
        what = "frontmatter without an end" if is_open else "no frontmatter"
        do = "Begin with '---', 'key: value' lines and '---'"
        raise fault(what, text, 0, where, do)
    head = text[: block.end(1)]
    spans: Spans = {}
    try:
        # the C parser does not count a byte order mark
        counted = f"\n{head[1:]}" if head[0] == "\ufeff" else head
        if _MAY_BE_ODD.search(counted) or counted.count("\n") > MAX_DEPTH:
            _check(counted)
        node = yaml.compose(counted, Loader=_LOADER)
        values = (node and _texts(node, (), spans)) or {}
        if not isinstance(values, dict):
            raise _odd(node, "more or other than 'key: value' lines")
    except (yaml.YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        # an open quote ran to the end: show where it opens
        if mark and mark.index >= len(head):
            mark = getattr(error, "context_mark", None) or mark
        at = mark.index if mark else getattr(error, "position", 0)
        what = getattr(error, "problem", None) or "a bad escape or character"
        if text.startswith("\t", at):
            what = "indented by a tab"
        do = (
            "Indent by spaces, and quote a value with ': ', ' #' or a special"
            " first character"
        )
        raise fault(what, text, at, where, do) from None
    return Header(head, block[2], text[block.end() :], values, spans)


def read_plain(start: bytes) -> dict[str, Any] | None:
    """Read the values of a header of plain ``key: text`` lines, as most are,
    ten times faster than ``read`` does.

    ``start`` is the beginning of a file. None where the two might differ.
    """
    try:
        text = start.decode().replace("\r\n", "\n").removeprefix("\ufeff")
    except UnicodeDecodeError:
        return None
    end = text.find("\n---\n", 3)
    if end < 0 or not text.startswith("---\n") or "\0" in text:
        return None
    values: dict[str, Any] = {}
    place = values
    for line in text[4:end].split("\n"):
        is_below = place is not values and line.startswith("  ")
        place = place if is_below else values
        found = _PLAIN_LINE.fullmatch(line, 2 if is_below else 0)
        if not found or found[1] in place or not line.isprintable():
            return None
        key, single, double, bare = found.groups()
        place[key] = single or double or bare or ""
        if line.rstrip(" ") == f"{METADATA}:":
            place = values[METADATA] = {}
    return values


def quote(value: str) -> str:
    """Spell a text so that YAML reads back exactly it: bare where that works,
    else in quotes.
    """
    # ValueError: a date that no calendar has
    with suppress(yaml.YAMLError, ValueError):
        is_bare = value.isprintable() and not _NOT_BARE.match(value)
        if is_bare and yaml.safe_load(f"key: {value}") == {"key": value}:
            return value
    quoted = json.dumps(value, ensure_ascii=False)
    return _ESCAPED.sub(lambda odd: f"\\U{ord(odd[0]):08X}", quoted)


def fault(
    what: str, text: str, at: int, where: object, do: str
) -> MemoryFormatError:
    """Make the error for what is at an offset of a text."""
    line = text.count("\n", 0, at) + 1
    return MemoryFormatError(what, where=where, line=line, do=do)


def _places(key: str) -> set[Keys]:
    return {(key,)} if key in TOP_ONLY else {(key,), (METADATA, key)}


def _decode(source: bytes | str, where: object) -> str:
    if isinstance(source, str):
        source = source.encode("utf-8", "surrogatepass")
    if len(source) > MAX_BYTES:
        what = f"{len(source):,} bytes are too large: a memory may have {MAX_BYTES:,}"
        raise fault(what, "", 0, where, "Keep one fact in one memory")
    text = source.decode("utf-8", "surrogateescape")
    odd = _NOT_TEXT.search(text)
    if odd:
        what = "a NUL byte" if odd[0] == "\0" else "bytes that are not UTF-8"
        do = "A memory is a text saved as UTF-8"
        raise fault(what, text, odd.start(), where, do)
    return text


def _check(head: str) -> None:
    """Refuse what could make one value stand for many, or exhaust the stack of
    the parser.
    """
    depth = count = 0
    for event in yaml.parse(head, Loader=_LOADER):
        if count and isinstance(event, yaml.DocumentStartEvent):
            raise _odd(event, "more or other than 'key: value' lines")
        if getattr(event, "anchor", None) or getattr(event, "tag", None):
            raise _odd(event, "an anchor, alias or tag (&, * or !)")
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        count += isinstance(event, yaml.NodeEvent)
        if depth > MAX_DEPTH or count > MAX_NODES:
            what = f"over {MAX_NODES:,} values or {MAX_DEPTH} levels"
            raise _odd(event, what)


def _texts(node: Any, keys: Keys, spans: Spans) -> Any:
    """Give the texts of a node of YAML, and note where they are."""
    spans[keys] = node.start_mark.index, node.end_mark.index
    if isinstance(node, yaml.SequenceNode):
        return [_texts(item, (*keys, ""), spans) for item in node.value]
    if isinstance(node, yaml.MappingNode):
        values: dict[str, Any] = {}
        for key, item in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.value in values:
                raise _odd(key, "a key twice, or one that is no text")
            values[key.value] = _texts(item, (*keys, key.value), spans)
        return values
    # ValueError: half of a surrogate pair, by an escape
    node.value.encode()
    return node.value


def _odd(at: Any, what: str) -> Exception:
    return yaml.MarkedYAMLError(None, None, what, at.start_mark)
