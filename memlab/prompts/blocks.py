"""Tagged blocks: how data reaches a model, and how the stand-in reads it back.

Code renders every block, in the same way for every model. Inside the data,
only memlab's own tags are changed, and reversibly, so that no text can close
its block or open another one.
"""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from memlab.text import shorten

TAGS = tuple(
    """
    project instructions memory_directory team_directory index team_index
    personal_directory personal_index manifest new_messages sessions logs
    log_path daily_log query already_shown tools_in_use memory index_news date
    memory_switch system-reminder cut_note summary notes_file session_notes
    """.split()  # noqa: SIM905
)
"""Every tag there is; a new one is added here and nowhere else."""

FIRST_WORDS = 80

_ANY = "|".join(map(re.escape, sorted(TAGS, key=len, reverse=True)))
_FREE = re.compile(rf"(<\s*/?\s*_*)({_ANY})\b", re.IGNORECASE)
_NEUTRAL = re.compile(rf"(<\s*/?\s*_*)_({_ANY})\b", re.IGNORECASE)
_ATTRIBUTE = re.compile(r' ([a-z_]+)="([^"<>\n]*)"')
_BLOCK = re.compile(
    rf'<(?P<tag>{_ANY})(?P<attributes>(?: [a-z_]+="[^"<>\n]*")*)>'
    r"(?:\n(?P<body>(?:(?!<(?P=tag)[ >]).)*?)\n)?</(?P=tag)>",
    re.DOTALL,
)
_MESSAGE = re.compile(
    r"^- id=(?P<id>\S+) time=(?P<time>\S+) role=(?P<role>\S+)"
    r' words="(?P<words>.*)"$'
)


class Rendered(str):
    """The text of a finished block; inside another block it stays as it is."""

    __slots__ = ()


@dataclass(frozen=True)
class Block:
    """One block as it was before it was rendered; blocks inside it are still
    tagged.
    """

    body: str
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class NewMessage:
    """A line of ``<new_messages>``: the text itself is in the conversation.

    ``words`` are the first words of the message, with an ellipsis where more
    follows.
    """

    id: str
    time: datetime
    role: str
    words: str


def block(tag: str, *parts: str, **attributes: str) -> Rendered:
    """Render a block. Data among ``parts`` is neutralised; finished blocks are
    not.

    The parts are joined by line ends, and empty ones are left out. Raises
    ValueError for a tag that is not in ``TAGS``.
    """
    if tag not in TAGS:
        raise ValueError(
            f"there is no block <{tag}>. Add it to TAGS in"
            " memlab/prompts/blocks.py"
        )
    given = "".join(
        f' {name}="{_escape(value)}"' for name, value in attributes.items()
    )
    body = "\n".join(
        part if isinstance(part, Rendered) else neutralise(part)
        for part in parts
        if part
    )
    return Rendered(
        f"<{tag}{given}>\n{body}\n</{tag}>"
        if body
        else f"<{tag}{given}></{tag}>"
    )


def neutralise(data: str) -> str:
    """Put one more ``_`` into every tag of memlab's that the data contains."""
    return _FREE.sub(r"\1_\2", data)


def restore(data: str) -> str:
    """Give back the data that was neutralised."""
    return _NEUTRAL.sub(r"\1\2", data)


def read_blocks(text: str) -> dict[str, list[Block]]:
    """Read all blocks of a text by tag, those inside other blocks as well, in
    their order.
    """
    found: dict[str, list[Block]] = defaultdict(list)
    for match in _BLOCK.finditer(text):
        body = match["body"] or ""
        attributes = {
            name: html.unescape(value)
            for name, value in _ATTRIBUTE.findall(match["attributes"])
        }
        found[match["tag"]].append(Block(restore(body), attributes))
        for tag, inner in read_blocks(body).items():
            found[tag] += inner
    return dict(found)


def message_line(id: str, time: datetime, role: str, text: str) -> str:
    """Write the line of a message in ``<new_messages>``; ``role`` is as in the
    API.
    """
    words = shorten(text, FIRST_WORDS)
    return (
        f'- id={id} time={time:%Y-%m-%dT%H:%M:%SZ} role={role} words="{words}"'
    )


def read_message_lines(body: str) -> list[NewMessage]:
    """Read the lines of ``<new_messages>``; lines of another form are left
    out.
    """
    found = filter(None, map(_MESSAGE.match, body.splitlines()))
    return [
        NewMessage(
            one["id"],
            datetime.fromisoformat(one["time"]),
            one["role"],
            one["words"],
        )
        for one in found
    ]


def _escape(value: str) -> str:
    escaped = html.escape(value)
    return escaped.replace("\n", "&#10;").replace("\r", "&#13;")
