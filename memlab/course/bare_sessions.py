"""What notebook 00 draws of its sessions: the last request of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memlab.course.chart import WIDTH, Picture
from memlab.course.session import Session
from memlab.prompts.blocks import read_blocks
from memlab.text import count_tokens, request_blocks, shorten


@dataclass(frozen=True)
class _Sent:
    """One block of a request, as a picture shows it."""

    role: str
    words: str
    tokens: int


def _sent(request: Mapping[str, Any]) -> Iterator[_Sent]:
    for place, part in request_blocks(request):
        text = str(part["text"])
        memories = read_blocks(text).get("memory", ())
        role = "memory" if memories else place.rpartition("/")[2]
        words = memories[0].body if memories else text
        yield _Sent(role, shorten(words, 64), count_tokens(text))


_FILLS: dict[str, str] = {
    "system": "grey",
    "user": "blue",
    "assistant": "plain",
    "memory": "marked",
}


def draw_requests(*sessions: Session) -> Picture:
    """Draw the last request of each session as a stack of blocks."""
    stacks = [list(_sent(session.request)) for session in sessions]
    lines = [
        "\n".join(
            [
                f"{session.name}, the last request:",
                *(
                    f"  {one.role:9}  {one.tokens:3} tokens  {one.words}"
                    for one in stack
                ),
            ]
        )
        for session, stack in zip(sessions, stacks, strict=True)
    ]
    most = max(map(len, stacks))
    width = (WIDTH - 48) / len(sessions)
    picture = Picture(
        "The last request of each session",
        "\n".join(lines),
        height=int(96 + 92 * most),
    )
    for number, (session, stack) in enumerate(
        zip(sessions, stacks, strict=True)
    ):
        left = 24 + width * number
        picture.text(left, 66, session.name, bold=True)
        for place, one in enumerate(stack):
            picture.box(
                left,
                80 + 92 * place,
                width - 20,
                84,
                f"{one.role} · {one.tokens} tokens",
                below=one.words,
                fill=_FILLS[one.role],
                strong=one.role == "memory",
            )
    return picture
