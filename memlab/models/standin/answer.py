"""The stand-in's answer: a script, else the fallback rules, else the plain
reply.

``answer`` is the one place in which the layers are tried. Every answer is
labelled with the layer it came from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from memlab.memdir.daily_log import log_day
from memlab.memdir.index import parse_pointers
from memlab.models.request import ModelRequest
from memlab.models.standin import calls, rules, scripts, statements
from memlab.models.standin.scripts import Script
from memlab.models.standin.statements import ANSWERS
from memlab.models.standin.task import Spoken, Task, read_task
from memlab.models.wire import Reply
from memlab.settings import Settings
from memlab.text import shorten

RULES, PLAIN = "fallback rules", "plain reply"
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
    stories: Sequence[Script],
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
        return _extract(task, stories)
    if request.purpose == "dream":
        return _dream(task, stories)
    if request.purpose == "select":
        return Answered(rules.select(task, settings), RULES)
    by_rules = {"session": rules.write_notes, "compact": rules.compact}
    if request.purpose in by_rules:
        return Answered(by_rules[request.purpose](task), RULES)
    return _main(task, stories, chat)


def _main(task: Task, stories: Sequence[Script], chat: bool) -> Answered:
    lines, source = _lines_to_log(task, stories)
    step = rules.log_step(task, lines)
    if step is not None:
        return Answered(step, source)
    logged = [
        one for one in task.steps if lines and log_day(task.file_of(one))
    ]
    found = scripts.main_answer(stories, task.request, logged=len(logged))
    if found is not None:
        script, said = found
        return Answered(said.reply(task), f"script: {script.title}")
    if logged:
        return Answered(calls.answer_with(calls.what_was_saved(task)), RULES)
    by_rules = rules.converse(task)
    if by_rules is not None:
        return Answered(by_rules, RULES)
    text = ANSWERS[_plain_in_chat(task)] if chat else _plain_in_notebook(task)
    return Answered(calls.answer_with(text), PLAIN)


def _lines_to_log(
    task: Task, stories: Sequence[Script]
) -> tuple[list[str], str]:
    """Give the lines that go into the daily log, and the label."""
    if not task.body("log_path"):
        return [], ""
    found = scripts.deciding(stories, "log", task, Spoken(task.said))
    if found is None:
        return rules.lines_to_log(task), RULES
    return [one.line for one in found[1]], f"script: {found[0]}"


def _extract(task: Task, stories: Sequence[Script]) -> Answered:
    step, changes, label = _changes(task, stories, task.new_messages())
    done = calls.finish(task, changes, ANSWERS["nothing_new"])
    return Answered(step or done, label)


def _changes(
    task: Task, stories: Sequence[Script], messages: Iterable[Spoken]
) -> tuple[Reply | None, list[calls.Call], str]:
    """Give the step that has to be made first, the changes that follow from
    messages, and the label. A script decides about its own messages, and the
    rules about the others.
    """
    entries: list[scripts.Entry] = []
    others: list[Spoken] = []
    labels: list[str] = []
    for message in messages:
        found = scripts.deciding(stories, "extract", task, message)
        if found is None:
            others.append(message)
        else:
            labels.append(f"script: {found[0]}")
            entries += found[1]
    files = [file for one in entries for file in scripts.to_read(one, task)]
    changes: dict[str, list[calls.Call]] = {}
    for one in entries:
        if scripts.remembered(one.when, task.files):
            changes.setdefault(
                one.said, [each.call(task) for each in one.save]
            )
    by_rules = rules.write(task, rules.worth_saving(task, others))
    if by_rules or not labels:
        labels.append(RULES)
    label = ", ".join(dict.fromkeys(labels))
    made = [*chain(*changes.values()), *by_rules]
    return calls.read_step(task, files), made, label


def _dream(task: Task, stories: Sequence[Script]) -> Answered:
    """Play the first entry whose conditions hold. Without one, make memories
    of the lines of the logs, and dream by rules.
    """
    answers = task.request.answers_since
    entries = [(script, entry) for script in stories for entry in script.dream]
    for script, entry in entries:
        if not scripts.holds(entry.when, task):
            continue
        source = f"script: {script.title}"
        if answers < len(entry.steps):
            return Answered(entry.steps[answers].reply(task), source)
        step = calls.read_step(task, [*scripts.to_read(entry, task)])
        if step is not None:
            return Answered(step, source)
        if scripts.remembered(entry.when, task.files):
            changes = [change.call(task) for change in entry.changes]
            done = entry.say.strip()
            return Answered(calls.finish(task, changes, done, done), source)
    step = calls.read_step(task, _LOG.findall(task.body("logs")))
    if step is not None:
        return Answered(step, RULES)
    step, changes, label = _changes(task, stories, rules.logged_messages(task))
    return Answered(step or rules.dream(task, changes), label)


def _plain_in_chat(task: Task) -> str:
    """Name the answer that says whether something may be saved, or once what
    can be tried.
    """
    if not task.directory:
        return "memory_off"
    if statements.gives_secret(task.said):
        return "no_secrets"
    at = rules.today(task) or rules.SOME_DAY
    if rules.worth_saving(task, [Spoken(task.said, at=at)]):
        switches = task.blocks.get("memory_switch", ())
        modes = [one.attributes.get("mode") for one in switches]
        return "read_only" if "recall_only" in modes[-1:] else "noted"
    asked = any(one.asked for one in statements.find(task.said, at))
    is_told = ANSWERS["try"] in task.request.text
    return "nothing" if asked or is_told else "try"


def _plain_in_notebook(task: Task) -> str:
    first = ANSWERS["reads_only_data"]
    files = [one.file for one in parse_pointers(task.body("index"))]
    blocks = task.blocks.get("memory", ())
    files += [one.attributes.get("file", "") for one in blocks]
    return ANSWERS["plain"].format(
        first="" if first in task.request.text else f" {first}",
        said=shorten(task.request.said, 60),
        files=", ".join(dict.fromkeys(files)) or "none",
    )
