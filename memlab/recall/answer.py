"""What comes of a side-query: its answer is text from outside, so it is checked before it counts.

Left out: asking, which is ``select``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memlab.memdir.scan import MemoryHeader, one_line
from memlab.text import count_tokens, shorten

NAME_CHARACTERS = 80


@dataclass(frozen=True)
class Selection:
    """What was chosen, best first, and by whom: ``model``, ``fallback``, or ``empty`` without call.

    ``fallback`` is what words choose, whether that was needed or not; ``error`` is why it was.
    ``invented`` are names that no manifest held, ``capped`` the files beyond the limit. ``tokens``
    are the call's, by the names the service has for them.
    """

    by: str = "empty"
    chosen: tuple[MemoryHeader, ...] = ()
    manifest: str = ""
    fallback: tuple[MemoryHeader, ...] = ()
    invented: tuple[str, ...] = ()
    capped: tuple[str, ...] = ()
    error: str = ""
    seconds: float = 0.0
    tokens: Mapping[str, int] = field(default_factory=dict)

    @property
    def figures(self) -> dict[str, Any]:
        """What the log says of it; what is empty is not said."""
        chosen = [header.filename for header in self.chosen]
        said: dict[str, Any] = {"by": self.by, "error": self.error, "chosen": chosen}
        said |= {"invented": list(self.invented), "capped": list(self.capped)}
        said = {name: value for name, value in said.items() if value}
        size = {"manifest_tokens": count_tokens(self.manifest), "seconds": self.seconds}
        return said | size | dict(self.tokens)


class UnusableError(ValueError):
    """The model answered, and its answer is no choice; the message is one word why."""


def named_in(reply: Any) -> list[str]:
    """Read the file names out of a reply; raises UnusableError for one that has none to read.

    Text around the JSON object is passed over: not every server keeps to a schema.
    """
    stopped = getattr(reply, "stop_reason", "")
    if stopped in ("refusal", "max_tokens"):
        raise UnusableError("refusal" if stopped == "refusal" else "truncated")
    blocks = getattr(reply, "content", None) or ()
    text = "".join(block.text for block in blocks if block.type == "text")
    try:
        names = json.loads(text[text.find("{") : text.rfind("}") + 1])["selected_memories"]
    except (ValueError, KeyError):
        names = None
    if not isinstance(names, list):
        raise UnusableError("unparsable")
    return [name.strip() if isinstance(name, str) else json.dumps(name) for name in names]


def checked(names: Sequence[str], headers: Sequence[MemoryHeader], limit: int) -> dict[str, Any]:
    """Sort names into ``chosen`` headers, ``capped`` file names and ``invented`` names.

    A name counts once, and only as the manifest showed it or as the file has it. An invented one
    is shortened to one line for the log, and goes nowhere else.
    """
    known = {one_line(header.filename): header for header in reversed(headers)}
    known |= {header.filename: header for header in headers}
    found = list(dict.fromkeys(known[name] for name in names if name in known))
    odd = dict.fromkeys(shorten(one_line(n), NAME_CHARACTERS) for n in names if n not in known)
    beyond = tuple(header.filename for header in found[limit:])
    return {"chosen": tuple(found[:limit]), "capped": beyond, "invented": tuple(odd)}


def tokens_of(reply: Any) -> dict[str, int]:
    """Give what a reply says it cost; a server that says nothing costs 0."""
    names = ("input_tokens", "cache_read_input_tokens", "output_tokens")
    return {name: getattr(getattr(reply, "usage", None), name, 0) or 0 for name in names}


def reason(error: Exception) -> str:
    """Say in a few words why a side-query came to nothing."""
    if isinstance(error, UnusableError):
        return str(error)
    return f"{type(error).__name__} {getattr(error, 'status_code', '')}".rstrip()
