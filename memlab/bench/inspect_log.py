"""Exports answers in the JSON log format of inspect_ai, for people who use
its viewer: ``inspect view --log-dir FOLDER``.

Inspect's log is one task with one model, so each variant becomes a file, and
each repeat an epoch. Left out: a comparison of variants, which the format
does not have, and the request itself, which our log does not keep. The
format is that of inspect_ai 0.3.285 (version 2); memlab does not need the
package.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memlab.bench.answer import Answer
from memlab.bench.compare import Row, check_same_run, summary
from memlab.ledger import Tokens
from memlab.text import visible

STATUSES = {
    "finished": "success",
    "budget": "cancelled",
    "interrupted": "cancelled",
    "endpoint": "error",
    "tape": "error",
}
"""Inspect's word for each way in which a run ends."""


def write_inspect_logs(
    answers: Iterable[Answer],
    folder: Path,
    ended: str = "finished",
) -> list[Path]:
    """Write one file per variant into a folder, and return their paths.

    ``ended`` is how the run ended, in the word of its outcome. The same
    answers give the same files again.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, log in inspect_logs(answers, ended).items():
        path = folder / name
        text = json.dumps(log, ensure_ascii=False, indent=1)
        path.write_text(text + "\n", encoding="utf-8")
        paths.append(path)
    return paths


def inspect_logs(
    answers: Iterable[Answer], ended: str = "finished"
) -> dict[str, dict[str, Any]]:
    """Give one log per variant, by the file name that Inspect expects."""
    listed = list(answers)
    check_same_run(listed)
    logs = {}
    for row in summary(listed):
        own = [each for each in listed if each.variant == row.variant]
        log = _log(own, row, ended)
        start = min(each.at for each in own).astimezone(UTC)
        task = "".join(
            letter if letter.isalnum() else "-"
            for letter in log["eval"]["task"]
        )
        stamp = f"{start:%Y-%m-%dT%H-%M-%S}+00-00"
        logs[f"{stamp}_{task}_{log['eval']['task_id']}.json"] = log
    return logs


def _log(answers: Sequence[Answer], row: Row, ended: str) -> dict[str, Any]:
    sample = answers[0]
    first = min(each.at for each in answers)
    last = max(each.at for each in answers)
    cases = list(dict.fromkeys(each.case for each in answers))
    epochs = max(each.repeat for each in answers)
    usage = {sample.model: _usage(row.tokens, row.dollars)}
    identity = (sample.task, row.variant, row.version, sample.model)
    return {
        "version": 2,
        "status": STATUSES[ended],
        "eval": {
            "eval_id": _id("eval", *identity),
            "run_id": _id("run", *identity),
            "created": _time(first),
            "task": f"memlab-{sample.task}-{visible(row.variant)}",
            "task_id": _id("task", *identity),
            "task_version": row.version,
            "task_args": {
                "variant": visible(row.variant),
                "half": sample.half,
                "mode": sample.mode,
            },
            "dataset": {
                "name": f"{sample.task}, {sample.half} half",
                "samples": len(cases),
                "sample_ids": cases,
                "shuffled": False,
            },
            "model": sample.model,
            "config": {"epochs": epochs, "epochs_reducer": ["mean"]},
            "scorers": [{"name": "correct"}, {"name": "score"}],
        },
        "plan": {"name": "plan", "steps": [{"solver": "memlab"}]},
        "results": {
            "total_samples": len(cases) * epochs,
            "completed_samples": len(answers),
            "scores": [
                _result("correct", "accuracy", row.correct),
                _result("score", "mean", row.score),
            ],
        },
        "stats": {
            "started_at": _time(first),
            "completed_at": _time(last),
            "model_usage": usage,
        },
        "samples": [_sample(each) for each in answers],
    }


def _sample(answer: Answer) -> dict[str, Any]:
    said = visible(answer.said)
    usage = _usage(answer.tokens, answer.dollars)
    asked = {"role": "user", "content": visible(f"case {answer.case}")}
    reply = {
        "role": "assistant",
        "content": said,
        "source": "generate",
        "model": answer.model,
    }
    ended = answer.at + timedelta(seconds=answer.seconds)
    return {
        "id": answer.case,
        "epoch": answer.repeat,
        "uuid": _id("sample", *map(str, answer.key)),
        "input": asked["content"],
        "target": visible(answer.wanted),
        "messages": [asked, reply],
        "output": {
            "model": answer.model,
            "choices": [{"message": reply, "stop_reason": "stop"}],
            "completion": said,
            "usage": usage,
            "time": answer.seconds,
        },
        "scores": {
            "correct": {
                "value": "C" if answer.correct else "I",
                "answer": said,
                "explanation": visible(answer.why),
            },
            "score": {"value": answer.score},
        },
        "metadata": {
            "answered by": answer.by,
            "error": visible(answer.error),
            "case version": answer.case_version,
            "calls": answer.calls,
            **answer.metrics,
        },
        "model_usage": {answer.model: usage},
        "started_at": _time(answer.at),
        "completed_at": _time(ended),
        "total_time": answer.seconds,
        "working_time": answer.seconds,
    }


def _usage(tokens: Tokens, dollars: float | None) -> dict[str, Any]:
    return {
        "input_tokens": tokens.uncached,
        "input_tokens_cache_write": tokens.created,
        "input_tokens_cache_read": tokens.read,
        "output_tokens": tokens.output,
        "total_tokens": tokens.input + tokens.output,
        "total_cost": dollars,
    }


def _result(scorer: str, metric: str, value: float) -> dict[str, Any]:
    return {
        "name": scorer,
        "scorer": scorer,
        "reducer": "mean",
        "metrics": {metric: {"name": metric, "value": value}},
    }


def _id(*parts: str) -> str:
    """Make an identifier of the length that Inspect's own have."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:22]


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()
