"""Answers of made-up runs, by what each case's repeats were."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from memlab.bench.answer import Answer
from memlab.bench.tasks import TASKS
from memlab.bench.tasks.pick import pick_request
from memlab.clock import CourseClock
from memlab.events import EventLog
from memlab.ledger import Tokens
from memlab.runtime import Runtime
from memlab.settings import Settings

START = datetime(2026, 11, 23, 4, 10, tzinfo=UTC)
VERSIONS = {"base": "aaaaaaaaaaaa", "mine": "bbbbbbbbbbbb", "third": "cccccccccccc"}
TOKENS = Tokens(uncached=100, created=20, read=280, output=10)


def answer(variant: str = "base", case: str = "a", *, right: bool = True, **more: Any) -> Answer:
    """One answer; every field can be given."""
    fields: dict[str, Any] = {
        "task": "select",
        "variant": variant,
        "version": VERSIONS.get(variant, "0" * 12),
        "case": case,
        "case_version": "eeeeeeeeeeee",
        "half": "work",
        "repeat": 1,
        "model": "test model",
        "mode": "live",
        "at": START,
        "correct": right,
        "score": float(right),
        "said": f"{variant} said this about {case}",
        "wanted": f"the label of {case}",
        "why": "as the label says" if right else "left out b.md",
        "seconds": 2.0,
        "tokens": TOKENS,
        "dollars": 0.001,
    }
    return Answer(**{**fields, **more})


def run(cases: Mapping[str, str], *variants: str, **more: Any) -> list[Answer]:
    """Answers by case, ``"+ -"``: one word per variant (base, mine, …), one sign per repeat."""
    names = variants or ("base", "mine", "third")
    return [
        answer(
            variant,
            case,
            right=sign == "+",
            repeat=repeat,
            at=START + timedelta(minutes=repeat),
            **more,
        )
        for case, words in cases.items()
        for variant, signs in zip(names, words.split(), strict=False)
        for repeat, sign in enumerate(signs, 1)
        if sign != "."
    ]


def flips(fixed: int, regressed: int, of: int, **more: Any) -> list[Answer]:
    """Answers of two variants with so many flips; the other cases are correct in both."""
    signs = ["- +"] * fixed + ["+ -"] * regressed
    signs += ["+ +"] * (of - len(signs))
    return run({f"case-{number:03}": each for number, each in enumerate(signs)}, **more)


def asked() -> str:
    """The versions of all cases of selection and picking, and what each pick sends, as JSON."""
    clock = CourseClock()
    runtime = Runtime(client=None, clock=clock, settings=Settings(), events=EventLog(clock))
    picks = TASKS["pick"].load()
    requests = [
        pick_request(case.entry, runtime, right_first=right_first)
        for case in picks
        for right_first in (True, False)
    ]
    versions = [case.version for case in (*TASKS["select"].load(), *picks)]
    return json.dumps([versions, requests])
