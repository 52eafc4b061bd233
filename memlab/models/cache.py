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


class PromptCache:
    """The prefixes kept and when each dies, and for each prefix, since a key
    stands for all that is before it, the row of the newest request with it.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        self._settings = settings or Settings()
        self._life = timedelta(seconds=self._settings.cache_ttl_seconds)
        self._dies: dict[str, datetime] = {}
        self._newest: dict[str, list[_Block]] = {}
        self._last: list[_Block] | None = None

    def account(self, body: Mapping[str, Any], now: datetime) -> Account:
        """Bill a request at its arrival; a miss is explained against the
        request with the longest common beginning, the newest of several.
        """
        row = _row(body)
        total = row[-1].tokens
        marks = [place for place, one in enumerate(row) if one.marked]
        if not marks:
            return Account("no_breakpoint", uncached=total)
        asked = row[marks[-1]].tokens
        if asked < self._settings.cache_min_tokens:
            return Account("below_minimum", uncached=total)
        read = self._read(row, marks, now)
        begun = (self._newest.get(one.key) for one in reversed(row))
        old = next(filter(None, begun), self._last)
        reason = "" if read else "first_request"
        if old is not None:
            kept = [one.tokens for one in self._kept(old)]
            expired = kept and read < kept[-1]
            reason = _change(row, old) or ("expired" if expired else reason)
        created, uncached = asked - read, total - asked
        return Account(reason, read=read, created=created, uncached=uncached)

    def keep(self, body: Mapping[str, Any], now: datetime) -> None:
        """Keep a request's prefixes, from the moment its answer begins."""
        row = _row(body)
        for one in self._kept(row):
            self._dies[one.key] = now + self._life
        self._last = row
        self._newest.update((one.key, row) for one in row)

    def _kept(self, row: Sequence[_Block]) -> list[_Block]:
        least = self._settings.cache_min_tokens
        return [one for one in row if one.marked and one.tokens >= least]

    def _read(
        self, row: Sequence[_Block], marks: Sequence[int], now: datetime
    ) -> int:
        """Read the longest prefix that is kept; the service looks only so many
        blocks back from a breakpoint.
        """
        back = self._settings.cache_lookback_blocks
        for place in reversed(range(marks[-1] + 1)):
            near = any(mark - back <= place <= mark for mark in marks)
            key = row[place].key
            if near and self._dies.get(key, now) > now:
                self._dies[key] = now + self._life
                return row[place].tokens
        return 0


def _change(row: Sequence[_Block], old: Sequence[_Block]) -> str:
    """Name the first part that has changed; "" if the row only grew."""
    for section in ("model", "tools", "system", "messages"):
        now, then = (
            [one.key for one in each if one.section == section]
            for each in (row, old)
        )
        if section == "messages":
            now = now[: len(then)]
        if now != then:
            return f"{section}_changed"
    return ""


def _row(body: Mapping[str, Any]) -> list[_Block]:
    key, tokens = str(body.get("model")), 0
    row = [_Block("model", key, 0, False)]
    for place, block in request_blocks(body):
        bare = {**block}
        mark = bare.pop("cache_control", None)
        content = json.dumps(bare, sort_keys=True, default=str)
        key = hashlib.sha256(f"{key}\n{place}\n{content}".encode()).hexdigest()
        tokens += count_tokens(block_text(block))
        section = place.partition("/")[0]
        row.append(_Block(section, key, tokens, mark is not None))
    return row
