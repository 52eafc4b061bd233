"""Prompt caching, accounted as the service does it.

A request is a row of blocks: tools, then system, then messages. A breakpoint
(``cache_control``) asks to keep the row up to there. The next request that
begins with the very same row reads it instead of paying for it. Left out: the
workspace a cache belongs to, and routing. Here every request meets the same
cache.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from memlab.ledger import Tokens
from memlab.settings import Settings
from memlab.text import as_blocks, block_text, count_tokens


@dataclass(frozen=True)
class Account(Tokens):
    """How one request's input tokens are billed, and why no more of them were
    read.

    ``reason`` is empty on a full read, else ``first_request``,
    ``model_changed``, ``tools_changed``, ``system_changed``,
    ``messages_changed``, ``expired``, ``below_minimum`` or ``no_breakpoint``.
    """

    reason: str
    created_long: int = 0


@dataclass(frozen=True)
class _Row:
    """A request as the cache sees it: each prefix's key and token sum, and the
    breakpoints.
    """

    model: str
    sections: tuple[str, ...]
    keys: tuple[str, ...]
    sums: tuple[int, ...]
    breakpoints: tuple[tuple[int, int], ...]

    def part(self, section: str) -> tuple[str, ...]:
        return tuple(
            key
            for s, key in zip(self.sections, self.keys, strict=True)
            if s == section
        )


class PromptCache:
    """The prefixes kept, when each dies, and the row of every request answered
    so far.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        self._settings = settings or Settings()
        self._dies: dict[str, datetime] = {}
        self._rows: dict[str, _Row] = {}

    @property
    def max_breakpoints(self) -> int:
        """How many breakpoints a request may carry."""
        return self._settings.cache_max_breakpoints

    def account(
        self, body: Mapping[str, Any], now: datetime, previous: str = ""
    ) -> Account:
        """Bill a request at its arrival; a miss is explained against message
        id ``previous``.
        """
        row = self._row(body)
        total = row.sums[-1] if row.sums else 0
        if not row.breakpoints:
            return Account("no_breakpoint", uncached=total)
        last = max(position for position, _ in row.breakpoints)
        hit = self._longest(row, now)
        if hit >= 0:
            self._dies[row.keys[hit]] = max(
                self._dies[row.keys[hit]], now + self._life(row, hit)
            )
        read = row.sums[hit] if hit >= 0 else 0
        enough = row.sums[last] >= self._settings.cache_min_tokens
        created = row.sums[last] - read if enough else 0
        long = [
            p
            for p, ttl in row.breakpoints
            if ttl == self._settings.cache_long_ttl_seconds
        ]
        created_long = (
            max(0, row.sums[max(long)] - read) if long and enough else 0
        )
        return Account(
            self._reason(row, now, hit, enough, previous),
            created_long,
            read=read,
            created=created,
            uncached=total - read - created,
        )

    def keep(
        self, body: Mapping[str, Any], now: datetime, message_id: str
    ) -> None:
        """Keep a request's prefixes, from the moment its answer begins."""
        row = self._row(body)
        for position, ttl in row.breakpoints:
            if row.sums[position] >= self._settings.cache_min_tokens:
                dies = now + timedelta(seconds=ttl)
                self._dies[row.keys[position]] = max(
                    dies, self._dies.get(row.keys[position], dies)
                )
        self._rows[message_id] = row

    def difference(
        self, body: Mapping[str, Any], previous: str
    ) -> dict[str, Any] | None:
        """Explain a request against an earlier one in the service's own words;
        None if it fits.
        """
        if previous not in self._rows:
            return {"type": "previous_message_not_found"}
        row, old = self._row(body), self._rows[previous]
        kind = _changed(row, old)
        if not kind:
            return None
        shared = _shared(row, old)
        lost = old.sums[-1] - (old.sums[shared - 1] if shared else 0)
        return {"type": kind, "cache_missed_input_tokens": lost}

    def _longest(self, row: _Row, now: datetime) -> int:
        back = self._settings.cache_lookback_blocks
        spots = {
            p
            for at, _ in row.breakpoints
            for p in range(max(0, at - back), at + 1)
        }
        live = [p for p in spots if self._dies.get(row.keys[p], now) > now]
        return max(live, default=-1)

    def _life(self, row: _Row, hit: int) -> timedelta:
        return timedelta(
            seconds=max(ttl for at, ttl in row.breakpoints if at >= hit)
        )

    def _reason(
        self, row: _Row, now: datetime, hit: int, enough: bool, previous: str
    ) -> str:
        if not enough:
            return "below_minimum"
        old = self._rows.get(previous) or self._nearest(row)
        if old is None:
            return "first_request"
        if kind := _changed(row, old):
            return kind
        kept_then = [
            p
            for p, _ in old.breakpoints
            if old.sums[p] >= self._settings.cache_min_tokens
        ]
        if kept_then and hit < max(kept_then):
            return "expired"
        return "" if hit >= 0 else "first_request"

    def _nearest(self, row: _Row) -> _Row | None:
        newest_first = list(self._rows.values())[::-1]
        return max(
            newest_first, key=lambda old: _shared(row, old), default=None
        )

    def _row(self, body: Mapping[str, Any]) -> _Row:
        model = str(body.get("model"))
        sections, keys, sums, breakpoints = [], [], [], []
        key, tokens = model, 0
        blocks = list(_walk(body))
        for position, (section, label, block) in enumerate(blocks):
            bare = {
                name: value
                for name, value in block.items()
                if name != "cache_control"
            }
            content = json.dumps(
                bare, ensure_ascii=True, sort_keys=True, default=str
            )
            key = hashlib.sha256(
                f"{key}\n{label}\n{content}".encode()
            ).hexdigest()
            tokens += count_tokens(block_text(block))
            sections.append(section)
            keys.append(key)
            sums.append(tokens)
            mark = block.get("cache_control")
            if not mark and position == len(blocks) - 1:
                mark = body.get("cache_control")
            if mark:
                breakpoints.append((position, self._ttl(mark)))
        return _Row(
            model,
            tuple(sections),
            tuple(keys),
            tuple(sums),
            tuple(breakpoints),
        )

    def _ttl(self, mark: Mapping[str, Any]) -> int:
        long = mark.get("ttl") == "1h"
        return (
            self._settings.cache_long_ttl_seconds
            if long
            else self._settings.cache_ttl_seconds
        )


def _walk(body: Mapping[str, Any]) -> list[tuple[str, str, Mapping[str, Any]]]:
    walked = [("tools", "tool", tool) for tool in body.get("tools") or ()]
    walked += [
        ("system", "system", block)
        for block in as_blocks(body.get("system") or ())
    ]
    for message in body.get("messages") or ():
        for index, block in enumerate(as_blocks(message["content"])):
            walked.append(
                (
                    "messages",
                    f"{message['role']}{'' if index else ' begins'}",
                    block,
                )
            )
    return walked


def _shared(row: _Row, old: _Row) -> int:
    return sum(
        ours == theirs
        for ours, theirs in zip(row.keys, old.keys, strict=False)
    )


def _changed(row: _Row, old: _Row) -> str:
    if row.model != old.model:
        return "model_changed"
    for section in ("tools", "system"):
        if row.part(section) != old.part(section):
            return f"{section}_changed"
    ours, theirs = row.part("messages"), old.part("messages")
    return "" if ours[: len(theirs)] == theirs else "messages_changed"
