"""The stand-in's answer: a script, else the fallback rules, else the plain
reply.

``answer`` is the one place in which the layers are tried. Every answer is
labelled with the layer it came from.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from memlab.models.request import ModelRequest
from memlab.models.standin import fallback
from memlab.models.standin.chat import (
    plain_reply_in_chat,
    reply_in_chat,
    was_said,
)
from memlab.models.standin.daily_log import (
    count_logging,
    lines_to_log,
    listed_logs,
    log_step,
    logged_messages,
    quote_todays_log,
)
from memlab.models.standin.forms import smallest_value
from memlab.models.standin.requests import Spoken, Task, read_task
from memlab.models.standin.scripts import (
    Change,
    DreamEntry,
    DreamStep,
    ExtractEntry,
    Script,
    extract_entries,
    holds,
    main_answer,
    notes_entries,
    remembered,
    to_read,
)
from memlab.models.standin.tools import (
    Call,
    answer_with,
    call_tools,
    drop_memory,
    edit_memory,
    path_of,
    read_step,
    what_was_saved,
    write_memory,
    write_step,
)
from memlab.models.wire import Reply, say
from memlab.settings import Settings
from memlab.text import shorten

RULES, PLAIN = "fallback rules", "plain reply"
NOTHING_NEW = "Nothing new."
READS_ONLY_DATA = (
    "The stand-in reads only the data blocks of a prompt, never its text."
)


@dataclass(frozen=True)
class Answered:
    """An answer and its label: ``script: <title>``, ``fallback rules`` or
    ``plain reply``.
    """

    reply: Reply
    source: str


def answer(
    request: ModelRequest,
    scripts: Sequence[Script],
    settings: Settings,
    *,
    chat: bool = False,
) -> Answered:
    """Answer a request. Raises MissingBlockError if its prompt has lost a
    block it needs.

    ``chat`` says that a person is talking: then ``chat.py`` answers what they
    try first, and the plain reply does not mention scripts.
    """
    task = read_task(request)
    if request.purpose == "extract":
        return _extract(task, scripts)
    if request.purpose == "dream":
        return _dream(task, scripts)
    if request.purpose == "session":
        return _session(task, scripts)
    if request.purpose == "select":
        return Answered(fallback.select(task, settings), RULES)
    if request.purpose == "compact":
        return Answered(fallback.compact(task), RULES)
    return _main(task, scripts, chat)


def _main(task: Task, scripts: Sequence[Script], chat: bool) -> Answered:
    request = task.request
    if request.schema is not None:
        return Answered(
            answer_with(json.dumps(smallest_value(request.schema))), PLAIN
        )
    lines, title = lines_to_log(task, scripts)
    step = log_step(task, lines)
    if step is not None:
        return Answered(step, f"script: {title}" if title else RULES)
    logged_before = count_logging(task, lines)
    found = main_answer(scripts, request, logged=logged_before)
    if found is not None:
        script, alternative = found
        calls = [(tool.name, tool.input) for tool in alternative.tools]
        spoken = (
            [say(alternative.say.strip())] if alternative.say.strip() else []
        )
        reply = Reply([*spoken, *call_tools(task, calls).blocks])
        return Answered(reply, f"script: {script.title}")
    first = reply_in_chat(task) if chat else fallback.talk_about_person(task)
    logged = answer_with(what_was_saved(task)) if lines else None
    today = quote_todays_log(task)
    by_rules = first or logged or today or fallback.main(task)
    if by_rules is not None:
        return Answered(by_rules, RULES)
    text = plain_reply_in_chat(task) if chat else _plain_in_notebook(task)
    return Answered(answer_with(text), PLAIN)


def _extract(task: Task, scripts: Sequence[Script]) -> Answered:
    """Let a script decide about its own messages, and the fallback rules about
    the others.
    """
    found = _found_in(task, scripts, task.new_messages())
    if isinstance(found, Answered):
        return found
    calls, source = found
    done = what_was_saved(task) if calls else NOTHING_NEW
    return Answered(write_step(task, calls) or answer_with(done), source)


def _found_in(
    task: Task, scripts: Sequence[Script], messages: Sequence[Spoken]
) -> Answered | tuple[list[Call], str]:
    """Give the changes that follow from some messages, and the label; first,
    the answer that reads what has to be read.
    """
    listed = [header.filename for header in task.manifest]
    scripted: list[tuple[Script, Sequence[ExtractEntry]]] = []
    others: list[Spoken] = []
    titles: list[str] = []
    for message in messages:
        for script in scripts:
            entries = extract_entries(script, task, message)
            if entries is not None:
                scripted += [
                    (script, alternatives) for alternatives in entries
                ]
                titles.append(f"script: {script.title}")
                break
        else:
            others.append(message)
    reads = [
        file
        for _, entries in scripted
        for entry in entries
        for file in to_read(entry, listed)
    ]
    calls = fallback.memories_to_save(task, others)
    source = ", ".join(
        dict.fromkeys([*titles, *([RULES] if calls or not titles else [])])
    )
    step = read_step(task, reads)
    if step is not None:
        return Answered(step, source)
    chosen = [
        entry
        for _, entries in scripted
        for entry in [e for e in entries if remembered(e.when, task.files)][:1]
    ]
    changes = [
        _call(task, change) for entry in chosen for change in entry.save
    ]
    return [*changes, *calls], source


def _dream(task: Task, scripts: Sequence[Script]) -> Answered:
    """Play the first entry whose conditions hold; without one, the fallback
    rules dream.
    """
    listed = [header.filename for header in task.manifest]
    fitting = [
        (script, entry)
        for script in scripts
        for entry in script.dream
        if holds(entry.when, task)
    ]
    for script, entry in fitting:
        source = f"script: {script.title}"
        if task.request.answers_since < len(entry.steps):
            step = entry.steps[task.request.answers_since]
            return Answered(_look_around(task, step), source)
        reads = read_step(task, list(to_read(entry, listed)))
        if reads is not None:
            return Answered(reads, source)
        if remembered(entry.when, task.files):
            return _play_dream(task, scripts, entry, source)
    distilled = _distil(task, scripts)
    if isinstance(distilled, Answered):
        return distilled
    calls, source = distilled
    return Answered(fallback.dream(task, calls), source)


def _distil(
    task: Task, scripts: Sequence[Script]
) -> tuple[list[Call], str] | Answered:
    """Make memories of the lines of the logs, as an extraction does of
    messages; gives the answer that reads first where something is to be read.
    """
    logs = listed_logs(task)
    if not logs:
        return [], RULES
    reads = read_step(task, logs)
    if reads is not None:
        return Answered(reads, RULES)
    return _found_in(task, scripts, logged_messages(task))


def _session(task: Task, scripts: Sequence[Script]) -> Answered:
    """Add lines to the notes of a session: those of a script, or what the
    fallback rules make of a message.
    """
    lines: list[str] = []
    titles: list[str] = []
    for message in task.new_messages():
        for script in scripts:
            entries = notes_entries(script, message)
            if entries:
                lines += [line for entry in entries for line in entry.note]
                titles.append(f"script: {script.title}")
                break
        else:
            lines += fallback.lines_for_notes(message)
            titles.append(RULES)
    source = ", ".join(dict.fromkeys(titles or [RULES]))
    text = fallback.notes_with(task, lines)
    if not text or text == task.body("session_notes").strip():
        return Answered(answer_with(NOTHING_NEW), source)
    step = write_step(task, [fallback.change_of_notes(task, text)])
    return Answered(step or answer_with(what_was_saved(task)), source)


def _look_around(task: Task, step: DreamStep) -> Reply:
    calls: list[Call] = [(tool.name, tool.input) for tool in step.tools]
    calls += [
        ("Read", {"file_path": path_of(task, file)}) for file in step.read
    ]
    spoken = [say(step.say.strip())] if step.say.strip() else []
    return Reply([*spoken, *call_tools(task, calls).blocks])


def _play_dream(
    task: Task, scripts: Sequence[Script], entry: DreamEntry, source: str
) -> Answered:
    """Make the changes of an entry, together with what the logs bring."""
    distilled = _distil(task, scripts)
    if isinstance(distilled, Answered):
        return distilled
    calls = [_call(task, change) for change in entry.changes]
    step = write_step(task, [*distilled[0], *calls])
    return Answered(
        step or answer_with(entry.say.strip() or what_was_saved(task)), source
    )


def _call(task: Task, change: Change) -> Call:
    if change.edit:
        return edit_memory(task, change.edit, change.old, change.new)
    if change.drop:
        return drop_memory(
            task,
            change.drop,
            superseded_by=change.superseded_by,
            reason=change.reason,
        )
    return write_memory(task, change.write, change.memory)


def _plain_in_notebook(task: Task) -> str:
    files = [pointer.file for pointer in task.pointers]
    files += [
        one.attributes.get("file", "") for one in task.blocks.get("memory", ())
    ]
    seen = ", ".join(dict.fromkeys(filter(None, files))) or "none"
    first = "" if was_said(task, READS_ONLY_DATA) else f" {READS_ONLY_DATA}"
    return (
        f"(Not a language model.{first}) No script contains these words:"
        f" {shorten(task.request.said, 60)!r}. Memories in this request:"
        f" {seen}."
    )
