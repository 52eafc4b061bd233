"""Compares the learner's parts with ours, on inputs from two weeks of memory.

Both are called with the same inputs, and the first difference is shown.
Whether a part is right is not decided here: ``check`` does that, on cases made
for it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from memlab.course.adapters import COMMAND_OPTIONS, ScriptedModel
from memlab.course.counted_files import CountedFiles
from memlab.course.display import Table, table
from memlab.course.exercise_files import notebook_of
from memlab.course.lab import Lab
from memlab.course.replay import Replay, story_sessions, story_turns
from memlab.course.run_submission import run_calls
from memlab.course.seams import SEAMS, gate_is_open, without_seams
from memlab.dream.gates import GATES, gate_limits
from memlab.memdir.index import INDEX
from memlab.memdir.scan import scan_memory_files
from memlab.text import shorten

Inputs = Callable[[Lab, Replay], Iterator[tuple[Any, ...]]]


def compare_parts(
    lab: Lab, replay: Replay, parts: Mapping[str, Inputs] | None = None
) -> Table:
    """Compare every part with ours: how many calls, and in how many of them
    the results agree.
    """
    rows = []
    for part, inputs in (parts or INPUTS).items():
        calls = list(inputs(lab, replay))
        version = "yours" if part in lab.parts.mine else "ours"
        alike, first = _compare(lab.parts.get(part), part, calls)
        difference = first or (
            "" if calls else "nothing in the story to try it on"
        )
        rows.append(
            (
                notebook_of(part) or notebook_of(f"my_{part}"),
                part,
                version,
                len(calls),
                alike,
                difference,
            )
        )
    return table(
        rows,
        ("notebook", "part", "version", "calls", "alike", "first difference"),
    )


def _compare(
    mine: Callable[..., Any], part: str, calls: Sequence[tuple[Any, ...]]
) -> tuple[int, str]:
    ours = SEAMS[part].ours
    assert ours
    with without_seams():
        wanted = [ours(*copy.deepcopy(call)) for call in calls]
    results = run_calls(mine, calls)
    alike, first = 0, ""
    for number, want in enumerate(wanted):
        if number >= len(results):
            return alike, first or f"call {number + 1} does not come back"
        error, value = results[number].error, results[number].value
        if error is None and value == want:
            alike += 1
        elif not first:
            came = f"raised {type(error).__name__}" if error else _shown(value)
            first = f"call {number + 1}: {came}; ours: {_shown(want)}"
    return alike, first


def _shown(value: Any) -> str:
    """Show a result; memories are shown by their file names."""
    if isinstance(value, list) and value and hasattr(value[0], "filename"):
        value = [header.filename for header in value]
    return shorten(repr(value), 60)


def _texts(replay: Replay) -> list[str]:
    return [
        data.decode() for name, data in replay.files().items() if name != INDEX
    ]


def _evidence(lab: Lab, replay: Replay) -> Iterator[tuple[Any, ...]]:
    for question in lab.questions:
        for evidence in question.evidence:
            yield from ((text, evidence) for text in _texts(replay))


def _headers(lab: Lab, replay: Replay) -> Iterator[tuple[Any, ...]]:
    yield from ((text,) for text in _texts(replay))


def _index(lab: Lab, replay: Replay) -> Iterator[tuple[Any, ...]]:
    text = replay.files()[INDEX].decode()
    yield from (
        (text, lines, size)
        for lines in (5, 200)
        for size in (500, 1_000, 25_000)
    )


def _files(lab: Lab, replay: Replay) -> Iterator[tuple[Any, ...]]:
    for limit in (5, 200):
        yield CountedFiles(replay.memory), limit


def _questions(lab: Lab, replay: Replay) -> Iterator[tuple[Any, ...]]:
    headers = list(scan_memory_files(replay.memory, lab.settings))
    for turn in _story(lab):
        yield turn.words, headers, lab.settings.select_max_memories


def _agent_turns(lab: Lab, replay: Replay) -> Iterator[tuple[Any, ...]]:
    tools = dict.fromkeys(("Read", "Grep", "Glob", "Bash"), _in_capitals)
    for turn in _story(lab):
        steps = tuple(
            tuple((call["name"], call["input"]) for call in calls) or "Done."
            for _, calls in turn.steps
        )
        if steps:
            question = {"role": "user", "content": turn.words}
            yield ScriptedModel(steps), tools, [question], 50


def _in_capitals(given: Mapping[str, Any]) -> str:
    return str(given).upper()


def _forks(lab: Lab, replay: Replay) -> Iterator[tuple[Any, ...]]:
    for body in replay.bodies:
        yield (
            body,
            [{"type": "text", "text": "Done."}],
            "What of this should be kept?",
        )


def _commands(lab: Lab, replay: Replay) -> Iterator[tuple[Any, ...]]:
    for turn in _story(lab):
        for _, calls in turn.steps:
            for call in calls:
                if call["name"] == "Bash":
                    yield call["input"]["command"], COMMAND_OPTIONS


def _moments(lab: Lab, replay: Replay) -> Iterator[tuple[Any, ...]]:
    """Return the gates' answers at the end of each session; a gate the story
    says nothing about is open.
    """
    limits = gate_limits(lab.settings)
    open_values = {gate.name: gate.open_value for gate in GATES}
    gates = [
        (gate.name, partial(gate_is_open, gate, limits)) for gate in GATES
    ]
    last, since = None, 0
    for session_end in replay.session_ends:
        hours = (
            (session_end.at - last).total_seconds() / 3600 if last else None
        )
        answers = open_values | {"time": hours, "sessions": since}
        yield gates, answers.__getitem__
        last, since = (
            (session_end.at, 0) if session_end.dream else (last, since + 1)
        )


def _story(lab: Lab) -> Iterator[Any]:
    for path in story_sessions(lab):
        yield from story_turns(path)


INPUTS: Mapping[str, Inputs] = {
    "contains_evidence": _evidence,
    "parse_header": _headers,
    "truncate_index": _index,
    "newest_memories": _files,
    "keyword_rank": _questions,
    "agent_loop": _agent_turns,
    "fork_request": _forks,
    "is_read_only_command": _commands,
    "gate_chain": _moments,
}
