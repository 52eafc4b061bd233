"""Draws requests as bars: what each consists of, in the order in which the
cache reads it, and how its tokens were billed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memlab.course.chart import Part, Picture, lanes
from memlab.models.offline import Exchange
from memlab.text import as_blocks, block_text, count_tokens

FILLS = {"read": "green", "created": "marked", "uncached": "red"}


def request_bars(
    requests: Mapping[str, Exchange], changed: Mapping[str, str] | None = None
) -> Picture:
    """Draw the stand-in's requests, each below its name: its parts, and below
    them how they were billed.

    ``changed`` says for some of the names which part was changed.
    """
    rows: list[tuple[str, list[Part]]] = []
    sentences = ["Requests as bars, in tokens."]
    for name, request in requests.items():
        account, part = request.account, (changed or {}).get(name, "")
        billed = {kind: getattr(account, kind) for kind in FILLS}
        total = sum(billed.values())
        parts = _parts(request.body, total)
        note = f" Changed: {part}." if part else ""
        sentences.append(
            f'Request "{name}": {_listed(parts)}.{note} Of these tokens:'
            f" {_listed(billed)}."
        )
        fills = dict.fromkeys(parts, "grey") | {part: "red"}
        rows.append((f"{name}: {total:,} tokens", _drawn(parts, fills)))
        rows.append(("", _drawn(billed, FILLS)))
    return lanes("Requests, in tokens", " ".join(sentences), rows)


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())


def _drawn(counts: Mapping[str, int], fills: Mapping[str, str]) -> list[Part]:
    return [
        (f"{name} {count:,}", count, fills[name])
        for name, count in counts.items()
        if count
    ]


def _parts(body: Any, total: int) -> dict[str, int]:
    """Count the tokens of each part that a request has."""
    system = "\n".join(map(block_text, as_blocks(body.get("system") or ())))
    before, rules, section = system.partition("\n# Memory\n")
    section, index, pointers = (rules + section).partition("\n<index>\n")
    tools = map(block_text, body.get("tools") or ())
    counts = {
        "tools": sum(map(count_tokens, tools)),
        "instructions": count_tokens(before),
        "memory rules": count_tokens(section),
        "index": count_tokens(index + pointers),
    }
    counts["messages"] = total - sum(counts.values())
    return {name: count for name, count in counts.items() if count}
