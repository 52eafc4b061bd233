"""Draws requests as bars: what each consists of, in the order in which the
cache reads it, and which part of it was read from the cache.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memlab.course.pictures import OUTPUT_WIDTH, SMALL, Drawing, Fill, Picture
from memlab.course.show import Table, table
from memlab.models.offline import Exchange
from memlab.text import as_blocks, block_text, count_tokens

PARTS = ("tools", "instructions", "memory rules", "index", "messages")
BILLED: tuple[tuple[str, Fill], ...] = (
    ("read", "hatched"),
    ("created", "marked"),
    ("uncached", "red"),
)
_LEGEND = (
    "read from the cache",
    "created: written into the cache",
    "uncached",
)
_RULES = "\n# Memory\n"
_INDEX = "\n<index>\n"


@dataclass(frozen=True)
class RequestBar:
    """One request: its name, the tokens of each part, and how they were
    billed. ``changed`` is the part that is drawn with a thick border.
    """

    name: str
    parts: tuple[int, ...]
    billed: tuple[int, ...]
    reason: str
    changed: str = ""

    @property
    def total(self) -> int:
        """All input tokens of the request."""
        return sum(self.billed)


@dataclass(frozen=True, repr=False)
class RequestBars(Drawing):
    """Requests, one below the other: a drawing in a notebook, and a table as
    plain text.
    """

    bars: tuple[RequestBar, ...]

    @property
    def table(self) -> Table:
        """The same in numbers."""
        rows = [
            (bar.name, *bar.parts, *bar.billed, bar.reason)
            for bar in self.bars
        ]
        billed = [name for name, _ in BILLED]
        return table(rows, ("request", *PARTS, *billed, "reason"))

    @property
    def alt(self) -> str:
        """What the drawing shows, in words."""
        lines = []
        for bar in self.bars:
            parts = ", ".join(
                f"{name} {tokens:,}"
                for name, tokens in zip(PARTS, bar.parts, strict=True)
                if tokens
            )
            change = f" Changed: {bar.changed}." if bar.changed else ""
            billed = ", ".join(
                f"{name} {tokens:,}"
                for (name, _), tokens in zip(BILLED, bar.billed, strict=True)
            )
            lines.append(
                f'Request "{bar.name}": {parts}.{change} Of these tokens:'
                f" {billed}."
            )
        return "Requests as bars, in tokens. " + " ".join(lines)

    @property
    def picture(self) -> Picture:
        """The drawing: for each request a bar of its parts, and below it a
        bar of how its tokens were billed.
        """
        picture = Picture(
            "Requests, in tokens",
            self.alt,
            height=104 + 108 * len(self.bars),
            width=OUTPUT_WIDTH,
        )
        longest = max(bar.total for bar in self.bars)
        scale = (OUTPUT_WIDTH - 48) / longest
        y = 56.0
        for bar in self.bars:
            words = f"{bar.name}: {bar.total:,} tokens"
            picture.text(24, y + 12, words, bold=True)
            fills: list[Fill] = ["plain"] * len(PARTS)
            named = list(zip(PARTS, bar.parts, fills, strict=True))
            _draw(picture, y + 20, 40, scale, named, strong=bar.changed)
            billed = [
                (name, tokens, fill)
                for (name, fill), tokens in zip(
                    BILLED, bar.billed, strict=True
                )
            ]
            _draw(picture, y + 62, 24, scale, billed)
            y += 108
        x = 24.0
        for (_, fill), words in zip(BILLED, _LEGEND, strict=True):
            picture.box(x, y + 6, 30, 18, fill=fill)
            picture.text(x + 38, y + 20, words, size=SMALL)
            x += 76 + 7.2 * len(words)
        return picture

    def __repr__(self) -> str:
        return self.alt


def request_bars(
    requests: Mapping[str, Exchange],
    changed: Mapping[str, str] | None = None,
) -> RequestBars:
    """Draw the stand-in's requests, each below its name.

    ``changed`` says for some of the names which part was changed.
    """
    parts = changed or {}
    return RequestBars(
        tuple(
            _measured(name, request, parts.get(name, ""))
            for name, request in requests.items()
        )
    )


def _measured(name: str, request: Exchange, changed: str) -> RequestBar:
    body, account = request.body, request.account
    billed = (account.read, account.created, account.uncached)
    tools = sum(
        count_tokens(block_text(tool)) for tool in body.get("tools") or ()
    )
    system = "\n".join(map(block_text, as_blocks(body.get("system") or ())))
    before, rules, section = system.partition(_RULES)
    section, index, pointers = (rules + section).partition(_INDEX)
    counts = [
        tools,
        count_tokens(before),
        count_tokens(section),
        count_tokens(index + pointers),
    ]
    messages = sum(billed) - sum(counts)
    return RequestBar(
        name, (*counts, messages), billed, account.reason, changed
    )


def _draw(
    picture: Picture,
    y: float,
    height: float,
    scale: float,
    parts: Sequence[tuple[str, int, Fill]],
    strong: str = "",
) -> None:
    """Draw one bar; a part that is too narrow for its name has none.

    ``strong`` names the part with a thick border.
    """
    x = 24.0
    for name, tokens, fill in parts:
        width = tokens * scale
        if width < 1:
            continue
        words = f"{name} {tokens:,}" if height < 30 else name
        below = f"{tokens:,}" if height >= 30 else ""
        fits = width > 8 + 0.6 * SMALL * len(words)
        picture.box(
            x,
            y,
            width,
            height,
            words if fits else "",
            below=below if fits else "",
            fill=fill,
            strong=name == strong,
            size=SMALL,
        )
        x += width
