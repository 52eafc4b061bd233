"""What the store refuses before it writes, for every writer.

The rules judge a memory as a text. Here are the checks that need to know the
file, its content before, and the writer: secrets anywhere in a file or in its
name, logs that only grow, pinned memories, and a model's edit that leaves the
index over its caps. Whose words a memory has is not asked here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memlab.errors import MemoryRefusedError
from memlab.evidence.sentences import as_memory
from memlab.memdir.daily_log import is_below_logs
from memlab.memdir.index import Caps, cut
from memlab.memdir.places import INDEXES
from memlab.memdir.rules import Finding
from memlab.memdir.secrets import find_secrets

EXTRACTOR = "extractor"
BACKGROUND = (EXTRACTOR, "dream")  # who writes while no person looks on


def check_owner(
    file: str, new: bytes | None, old: bytes | None, who: str
) -> None:
    """Refuse to change what its owner keeps as it is."""
    if is_below_logs(file):
        what = "this is a daily log, which only grows by new lines while daily-log mode is on"
        do = "Leave it as it is; a person can erase it for good"
        raise MemoryRefusedError(what, rule="append-only", where=file, do=do)
    if who in BACKGROUND:
        for one in (as_memory(old), as_memory(new)):
            if one is not None and one.is_pinned:
                what, do = (
                    "only the person may change a pinned memory",
                    "Leave it as it is",
                )
                raise MemoryRefusedError(
                    what, rule="pinned", where=file, do=do
                )
    if who == EXTRACTOR and (new is None or file in INDEXES):
        what = "the extractor drops no memory and writes no index"
        do = "Correct what a memory says; its line in the index follows"
        raise MemoryRefusedError(what, rule="extractor", where=file, do=do)


def check_secrets(file: str, new: bytes | None, old: bytes | None) -> None:
    """Refuse a secret anywhere in a file or in its name."""
    if old is None and new is not None:
        spoken = file.removesuffix(".md").replace("-", " ")
        refuse_secrets("a file name", spoken, "it")
    text = text_in(new)
    known = text_in(old) if file in INDEXES else ""
    refuse_secrets(file, text, "the file", known)
    memory = as_memory(new)
    if memory and memory.header:  # escapes and line ends may hide one
        values = "\n\n".join(_values(memory.header.values))
        refuse_secrets(file, values, "the header")


def refuse_secrets(file: str, text: str, place: str, known: str = "") -> None:
    """Refuse a secret that is not in what is known already."""
    old = {one.fingerprint for one in find_secrets(known)}
    for one in find_secrets(text):
        if one.fingerprint not in old:
            line = f"line {one.line_in(text)} of {place}"
            where = line if "\n" in text.strip() else place
            what = f"{where} looks like it contains a {one.kind}"
            do = "Write where it is kept"
            raise MemoryRefusedError(what, rule="secret", where=file, do=do)


def refuse_found(file: str, found: Iterable[Finding]) -> None:
    """Raise MemoryRefusedError for the findings that refuse."""
    refused = [one for one in found if one.severity == "refuse"]
    if refused:
        what = "; ".join(one.message for one in refused)
        do = "; ".join(one.suggestion for one in refused)
        raise MemoryRefusedError(what, rule=refused[0].rule, where=file, do=do)


def refuse_over_cap(index: str, new: str, old: str, caps: Caps) -> None:
    """Refuse a model's edit that leaves an index over a cap and brings it no
    nearer to that.
    """
    now, was = cut(new, caps), cut(old, caps)
    more_lines = now.lines > caps.lines and now.lines >= was.lines
    more_bytes = now.size > caps.size and now.size >= was.size
    if more_lines or more_bytes:
        limits = f"{caps.lines:,} lines and {caps.size:,} {caps.unit}"
        what = (
            f"the index would have {now.lines:,} lines and {now.size:,} bytes, and the"
            f" limits are {limits}"
        )
        do = (
            "Keep one short line for each memory. Merge memories that belong together,"
            " or drop one that is over; its line goes with it. Leave the other lines as"
            " they are"
        )
        raise MemoryRefusedError(what, rule="index-cap", where=index, do=do)


def text_in(data: bytes | None) -> str:
    """Read any bytes so that they can be written back."""
    return (data or b"").decode("utf-8", "surrogateescape")


def _values(value: object, key: str = "") -> list[str]:
    """Give each text in the keys of a header, with its key, as YAML reads it."""
    if isinstance(value, Mapping):
        return [
            text
            for name, one in value.items()
            for text in _values(one, str(name))
        ]
    if isinstance(value, list):
        return [text for one in value for text in _values(one, key)]
    return [f"{key}: {value}"]
