"""Prompt caching, accounted as the service does it.

A request is a row of blocks: tools, then system, then messages. A breakpoint
(``cache_control``) asks to keep the row up to there. The next request that
begins with the very same row reads it instead of paying for it. Left out: the
cache that lives for an hour, and who shares a cache. Here every request meets
the same one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from memlab.ledger import Tokens
from memlab.settings import Settings
from memlab.text import block_text, count_tokens, request_blocks


@dataclass(frozen=True)
class Account(Tokens):
    """How one request's input tokens are billed, and why no more of them were
    read.

    ``reason`` is empty on a full read, else ``first_request``,
    ``model_changed``, ``tools_changed``, ``system_changed``,
    ``messages_changed``, ``expired``, ``below_minimum`` or ``no_breakpoint``.
    """

    reason: str


@dataclass(frozen=True)
class _Block:
    """One block of a row. ``key`` names the row up to here, ``tokens`` counts
    it, and ``marked`` says whether there is a breakpoint.
    """

    section: str
    key: str
    tokens: int
    marked: bool


@dataclass(frozen=True)
class _Row:
    model: str
    blocks: Sequence[_Block]

    def keys(self, section: str) -> list[str]:
        return [one.key for one in self.blocks if one.section == section]

    def shared(self, other: _Row) -> int:
        """Count the blocks with which both rows begin."""
        pairs = zip(self.blocks, other.blocks, strict=False)
        return sum(ours.key == theirs.key for ours, theirs in pairs)

    def change(self, since: _Row) -> str:
        """Name the first part that has changed; "" if the row only grew."""
        if self.model != since.model:
            return "model_changed"
        for section in ("tools", "system"):
            if self.keys(section) != since.keys(section):
                return f"{section}_changed"
        before = since.keys("messages")
        same = self.keys("messages")[: len(before)] == before
        return "" if same else "messages_changed"


class PromptCache:
    """The prefixes kept, when each dies, and the row of every request answered
    so far.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        self._settings = settings or Settings()
        self._life = timedelta(seconds=self._settings.cache_ttl_seconds)
        self._dies: dict[str, datetime] = {}
        self._rows: dict[str, _Row] = {}

    def account(
        self, body: Mapping[str, Any], now: datetime, previous: str = ""
    ) -> Account:
        """Bill a request at its arrival; a miss is explained against message
        id ``previous``, or else the request with the longest common beginning.
        """
        row = _row(body)
        total = row.blocks[-1].tokens
        marks = [n for n, one in enumerate(row.blocks) if one.marked]
        if not marks:
            return Account("no_breakpoint", uncached=total)
        asked = row.blocks[marks[-1]].tokens
        if asked < self._settings.cache_min_tokens:
            return Account("below_minimum", uncached=total)
        read = 0
        hit = self._longest(row, marks, now)
        if hit is not None:
            read = hit.tokens
            self._dies[hit.key] = now + self._life
        return Account(
            self._reason(row, read, previous),
            read=read,
            created=asked - read,
            uncached=total - asked,
        )

    def keep(
        self, body: Mapping[str, Any], now: datetime, message_id: str
    ) -> None:
        """Keep a request's prefixes, from the moment its answer begins."""
        row = _row(body)
        for one in row.blocks:
            if one.marked and one.tokens >= self._settings.cache_min_tokens:
                self._dies[one.key] = now + self._life
        self._rows[message_id] = row

    def _longest(
        self, row: _Row, marks: Sequence[int], now: datetime
    ) -> _Block | None:
        """Return the end of the longest prefix that is kept; the service looks
        only so many blocks back from a breakpoint.
        """
        back = self._settings.cache_lookback_blocks
        for place in reversed(range(marks[-1] + 1)):
            near = any(mark - back <= place <= mark for mark in marks)
            key = row.blocks[place].key
            if near and self._dies.get(key, now) > now:
                return row.blocks[place]
        return None

    def _reason(self, row: _Row, read: int, previous: str) -> str:
        newest_first = list(self._rows.values())[::-1]
        old = self._rows.get(previous) or max(
            newest_first, key=row.shared, default=None
        )
        if old is None:
            return "first_request"
        kept = [
            one.tokens
            for one in old.blocks
            if one.marked and one.tokens >= self._settings.cache_min_tokens
        ]
        change = row.change(old)
        if not change and kept and read < kept[-1]:
            return "expired"
        return change or ("" if read else "first_request")


def _row(body: Mapping[str, Any]) -> _Row:
    model = str(body.get("model"))
    key, tokens = model, 0
    blocks = []
    for place, block in request_blocks(body):
        bare = {**block}
        mark = bare.pop("cache_control", None)
        content = json.dumps(bare, sort_keys=True, default=str)
        key = hashlib.sha256(f"{key}\n{place}\n{content}".encode()).hexdigest()
        tokens += count_tokens(block_text(block))
        section = place.partition("/")[0]
        blocks.append(_Block(section, key, tokens, mark is not None))
    return _Row(model, blocks)
