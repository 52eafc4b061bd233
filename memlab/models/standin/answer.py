"""The stand-in's answer: a script, else the fallback rules, else the plain
reply.

``answer`` is the one place in which the layers are tried. Every answer is
labelled with the layer it came from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memlab.memdir.index import parse_pointers
from memlab.models.request import ModelRequest
from memlab.models.standin import calls, rules, statements
from memlab.models.standin.scripts import (
    Script,
    fitting,
    holds,
    main_answer,
    remembered,
    to_read,
)
from memlab.models.standin.task import Spoken, Task, read_task
from memlab.models.wire import Reply
from memlab.settings import Settings
from memlab.text import fold_space, shorten

RULES, PLAIN = "fallback rules", "plain reply"
NOTHING_NEW = "Nothing new."
READS_ONLY_DATA = (
    "The stand-in reads only the data blocks of a prompt, never its text."
)
TRY = (
    "Offline, rules answer and understand only a few things: try “Remember"
    " that …”, “I prefer …”, “Forget …” or “What do you know about me?”."
)
NOTHING = "Nothing to remember here."
SAVES = "I'll save that."
NO_SECRETS = "Not saved: it looks like a secret."
MEMORY_OFF = "Memory is off: nothing is saved."
READ_ONLY = "Memory is read only: nothing is saved."
_LOG = re.compile(r"(?m)(logs/\S+\.md) \(\d+ bytes, ")


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
    """Answer a request; raises MissingBlockError if its prompt has lost a
    block.

    ``chat`` says that a person is talking: the plain reply does not mention
    scripts.
    """
    task = read_task(request)
    if request.purpose == "extract":
        return _extract(task, scripts)
    if request.purpose == "dream":
        return _dream(task, scripts)
    if request.purpose == "session":
        done = calls.what_was_saved(task) if task.steps else NOTHING_NEW
        return Answered(
            rules.write_notes(task) or calls.answer_with(done), RULES
        )
    if request.purpose == "select":
        return Answered(rules.select(task, settings), RULES)
    if request.purpose == "compact":
        return Answered(rules.compact(task), RULES)
    return _main(task, scripts, chat)


def _main(task: Task, scripts: Sequence[Script], chat: bool) -> Answered:
    lines, source = _lines_to_log(task, scripts)
    step = rules.log_step(task, lines)
    if step is not None:
        return Answered(step, source)
    logged = rules.answers_that_log(task)
    found = main_answer(scripts, task.request, logged=logged)
    if found is not None:
        script, said = found
        return Answered(said.reply(task), f"script: {script.title}")
    if logged:
        return Answered(calls.answer_with(calls.what_was_saved(task)), RULES)
    by_rules = rules.converse(task)
    if by_rules is not None:
        return Answered(by_rules, RULES)
    text = _plain_in_chat(task) if chat else _plain_in_notebook(task)
    return Answered(calls.answer_with(text), PLAIN)


def _lines_to_log(
    task: Task, scripts: Sequence[Script]
) -> tuple[list[str], str]:
    """Give the lines that go into the daily log, and the label."""
    if not task.body("log_path"):
        return [], ""
    for script in scripts:
        found = fitting(script, script.log, task, Spoken(task.said))
        if found is not None:
            lines = [
                f"- {same[0].line}" for same in found if same and same[0].line
            ]
            return lines, f"script: {script.title}"
    at = rules.today(task) or statements.SOME_DAY
    said = statements.find_statements(task.said, at)
    return [f"- {fold_space(text)}" for text, _ in said], RULES


def _extract(task: Task, scripts: Sequence[Script]) -> Answered:
    files, changes, source = _changes(task, scripts, task.new_messages())
    done = calls.answer_with(
        calls.what_was_saved(task) if changes else NOTHING_NEW
    )
    step = calls.read_step(task, files) or calls.write_step(task, changes)
    return Answered(step or done, source)


def _changes(
    task: Task, scripts: Sequence[Script], messages: Iterable[Spoken]
) -> tuple[list[str], list[calls.Call], str]:
    """Give what has to be read first, the changes that follow from messages,
    and the label. A script decides about its own messages, and the rules about
    the others.
    """
    files: list[str] = []
    changes: list[calls.Call] = []
    others: list[Spoken] = []
    labels: list[str] = []
    for message in messages:
        for script in scripts:
            found = fitting(script, script.extract, task, message)
            if found is None:
                continue
            labels.append(f"script: {script.title}")
            for same in found:
                files += [one for each in same for one in to_read(each, task)]
                fit = [one for one in same if remembered(one.when, task.files)]
                changes += [
                    one.call(task) for each in fit[:1] for one in each.save
                ]
            break
        else:
            others.append(message)
    by_rules = rules.save(task, others)
    if by_rules or not labels:
        labels.append(RULES)
    return files, changes + by_rules, ", ".join(dict.fromkeys(labels))


def _dream(task: Task, scripts: Sequence[Script]) -> Answered:
    """Play the first entry whose conditions hold, else dream by rules; both
    also make memories of the lines of the logs.
    """
    entries = [
        (script, entry)
        for script in scripts
        for entry in script.dream
        if holds(entry.when, task)
    ]
    answers = task.request.answers_since
    for script, entry in entries:
        source = f"script: {script.title}"
        if answers < len(entry.steps):
            return Answered(entry.steps[answers].reply(task), source)
        step = calls.read_step(task, list(to_read(entry, task)))
        if step is not None:
            return Answered(step, source)
        if remembered(entry.when, task.files):
            break
    else:
        entry = None
    logs = _LOG.findall(task.body("logs"))
    files, changes, label = _changes(
        task, scripts, rules.logged_messages(task)
    )
    step = calls.read_step(task, logs) or calls.read_step(task, files)
    if step is not None:
        return Answered(step, label)
    if entry is None:
        return Answered(rules.dream(task, changes), label)
    changes += [change.call(task) for change in entry.changes]
    done = calls.answer_with(entry.say.strip() or calls.what_was_saved(task))
    return Answered(calls.write_step(task, changes) or done, source)


def _plain_in_chat(task: Task) -> str:
    """Say whether something is saved, and once what can be tried."""
    said = task.said
    switches = task.blocks.get("memory_switch", ())
    modes = [one.attributes.get("mode") for one in switches]
    if not task.directory:
        return MEMORY_OFF
    if statements.gives_secret(said):
        return NO_SECRETS
    at = rules.today(task) or statements.SOME_DAY
    if any(rules.worth_saving(task, said, at)):
        return READ_ONLY if "recall_only" in modes[-1:] else SAVES
    if not statements.asks_to_remember(said) and TRY not in task.request.text:
        return TRY
    return NOTHING


def _plain_in_notebook(task: Task) -> str:
    first = (
        "" if READS_ONLY_DATA in task.request.text else f" {READS_ONLY_DATA}"
    )
    blocks = [*task.blocks.get("memory", ())]
    files = [one.file for one in parse_pointers(task.body("index"))]
    files += [one.attributes.get("file", "") for one in blocks]
    return (
        f"(Not a language model.{first}) No script contains these words:"
        f" {shorten(task.request.said, 60)!r}. Memories in this request:"
        f" {', '.join(dict.fromkeys(files)) or 'none'}."
    )
