"""The fallback rules, for what no script contains: what they answer in each
kind of request.

They do what rules can do safely, and leave the rest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, time

from memlab.errors import MemlabError
from memlab.evidence.quotes import without_quotes
from memlab.evidence.sentences import split_lines
from memlab.memdir import scan
from memlab.memdir.daily_log import log_day, log_lines, log_path
from memlab.memdir.index import parse_pointers
from memlab.memdir.memory import Memory, format_memory, parse_memory
from memlab.memdir.names import file_name
from memlab.memdir.rules import check
from memlab.memdir.secrets import find_secrets
from memlab.models.standin import calls, statements
from memlab.models.standin.statements import ANSWERS, says
from memlab.models.standin.task import Spoken, Task, reminders, steps_in
from memlab.models.wire import Reply
from memlab.prompts.blocks import Block, read_blocks
from memlab.recall.keyword import KeywordIndex, searched_text
from memlab.recall.selection import explains_tool_in_use
from memlab.settings import Settings
from memlab.text import fold_space, persons_text, shorten, terms_of, words

MOST_READ = 30  # memories that a dream or an answer looks at
MOST_QUOTED = 5  # lines of today's log
QUOTED, NOTE_CHARACTERS = 300, 240
SOME_DAY = datetime(2026, 1, 1, tzinfo=UTC)  # where the day does not matter
# Words that say nothing about which memory is meant.
_WEAK = frozenset(terms_of("thing know use like prefer said told memory"))


# Extraction, recall


def worth_saving(task: Task, messages: Iterable[Spoken]) -> list[Memory]:
    """Make the memories of some messages that are new and that the policy
    accepts.
    """
    known, found = _known(task).values(), []
    instructions = task.body("instructions")
    for message in messages:
        at = message.at or SOME_DAY
        for memory in statements.memories_in(message.text, at):
            wrong = check(memory, at, project_instructions=instructions)
            refused = any(one.severity == "refuse" for one in wrong)
            if not refused and memory.description not in known:
                found.append(memory)
    return found


def write(task: Task, memories: Iterable[Memory]) -> list[calls.Call]:
    """Write memories to new files; one that exists is never written over."""
    taken = dict.fromkeys(_known(task), "")
    changes = []
    for memory in memories:
        file = file_name(memory.name, taken)
        taken[file] = ""
        changes.append(calls.write(task, file, format_memory(memory)))
    return changes


def _known(task: Task) -> dict[str, str]:
    """Give the memories that a request names, each with what it is about."""
    blocks = [
        *task.blocks.get("index", ()),
        *task.blocks.get("index_news", ()),
    ]
    pointers = [one for each in blocks for one in parse_pointers(each.body)]
    known = {one.file: one.hook for one in pointers}
    return known | {one.filename: one.description for one in task.manifest}


def select(task: Task, settings: Settings) -> Reply:
    """Choose memories by the words they share with the message, at least half
    as many as the best; tool notes as recall does.
    """
    shown = task.body("already_shown").replace(",", " ").split()
    tools = task.body("tools_in_use").replace(",", " ").split()
    helpful = [
        header
        for header in task.manifest
        if header.filename not in shown
        and not explains_tool_in_use(header, tools)
    ]
    query = task.body("query")
    # with our own terms, whatever a learner has put in their place
    index = KeywordIndex(helpful, terms_of)
    asked = set(terms_of(query))
    shared = {
        one.filename: len(asked.intersection(terms_of(searched_text(one))))
        for one in index.rank(query, settings.select_max_memories)
    }
    most = max(shared.values(), default=0)
    names = [name for name, count in shared.items() if 2 * count >= most]
    return calls.answer_with(json.dumps({"selected_memories": names}))


# The dream


def dream(task: Task, changes: list[calls.Call]) -> Reply:
    """Do what rules can know: exact duplicates and dates. Code puts the index
    in order after every dream. ``changes`` are those that the logs call for.
    """
    listed = {header.filename: header.mtime for header in task.manifest}
    step = calls.read_step(task, [*listed][:MOST_READ])
    if step is not None:
        return step
    first_with: dict[tuple[str, str], str] = {}
    for file, memory in _memories(task).items():
        text = fold_space(memory.body).lower()
        kept = first_with.setdefault((str(memory.type), text), file)
        if kept != file:
            changes.append(calls.drop(task, file, kept))
            continue
        for line in memory.body.splitlines():
            dated = statements.with_dates(line, listed.get(file, SOME_DAY))
            if dated != line and memory.body.count(line) == 1:
                changes.append(calls.edit(task, file, line, dated))
    return calls.finish(task, changes, ANSWERS["in_order"])


def _memories(task: Task) -> dict[str, Memory]:
    """Give the memories that were read, by file; files that are none, and
    tombstones, are left out.
    """
    found = {}
    for file, text in task.files.items():
        with suppress(MemlabError):
            found[file] = parse_memory(text)
    return {file: one for file, one in found.items() if one.body.strip()}


# Compaction, and the notes of a session


def compact(task: Task) -> Reply:
    """Summarise what rules can see: the first and the newest request, and the
    files changed.
    """
    goals, wishes = [], 0
    for message in task.spoken:
        said = [one.text for one in split_lines(message.text)]
        asked = [
            one
            for one in said
            if not statements.find(one, SOME_DAY) and not says("manner", one)
        ]
        wishes += asked != said
        goals.append(" ".join(asked) or "What the person asked for.")
    changed = dict.fromkeys(
        f"- Changed {task.file_of(step)}."
        for step in steps_in(task.request.messages)
        if step.name in calls.CHANGES and not step.failed
    )
    constraints = ANSWERS["constraints"].format(count=wishes)
    told = ANSWERS["summary"].format(
        goal=shorten(goals[0], 160),
        done="\n".join(changed) or "- No file was changed.",
        newest=shorten(goals[-1], 120),
        constraints=constraints if wishes else "None that rules can see.",
    )
    return calls.answer_with(told)


def write_notes(task: Task) -> Reply:
    """Add what the new messages say to the notes: no questions, quotations and
    secrets. Above the limit, the oldest lines go.
    """
    old = task.body("session_notes")
    text = old or "## What the person said\n"
    for message in task.new_messages():
        said = [one.text for one in split_lines(without_quotes(message.text))]
        own = [one for one in said if one[-1] != "?" and not find_secrets(one)]
        line = f"- {shorten(' '.join(own), NOTE_CHARACTERS)}"
        if len(words(line)) > 2 and line not in text.splitlines():
            text += f"\n{line}"
    limit = int(task.blocks["session_notes"][-1].attributes.get("limit", 0))
    while 0 < limit <= len(text.encode()) and "\n- " in text:
        text = re.sub(r"\n- .*", "", text, count=1)
    given = {"file_path": task.body("notes_file"), "content": f"{text}\n"}
    is_new = "\n- " in text and text != old
    changes = [("Write", given)] if is_new else []
    return calls.finish(task, changes, ANSWERS["nothing_new"])


# The conversation


def converse(task: Task) -> Reply | None:
    """Answer what a person tries first; None for anything else."""
    said = task.request.said
    if not task.directory and not task.request.tool_names:
        return _talk_about_person(task)
    if named := says("create_a_file", said):
        return _create(task, named["file"])
    if not task.directory:
        return None
    forget = says("forget", said)
    if forget and not says("only_for_now", said):
        return _forget(task, forget["what"])
    if says("what_do_you_know", said):
        return _say_what_is_known(task)
    return _quote(task) if said.endswith("?") else _remember(task)


def _talk_about_person(task: Task) -> Reply | None:
    """Answer an agent without memory and tools: it can look nowhere but in the
    request.
    """
    said = task.request.said
    if not says("of_themselves", said):
        return None
    if not said.endswith("?"):
        return calls.answer_with(ANSWERS["agreed"])
    typed = filter(None, map(persons_text, task.request.messages))
    known = [
        f"You said: “{shorten(text, QUOTED)}”"
        for text in typed
        if not text.rstrip().endswith("?")
    ]
    known += _said_in(task.blocks, "{0} says: “{1}”")
    return calls.answer_with(" ".join(known) or ANSWERS["not_told"])


def _create(task: Task, file: str) -> Reply:
    """Write a small file in the style that memory asks for, where it does."""
    if task.steps:
        done = task.steps[-1]
        failed = f"I did not write {file}: {done.result}"
        return calls.answer_with(failed if done.failed else f"I wrote {file}.")
    memories = [one.body for one in task.blocks.get("memory", ())]
    known = " ".join([task.body("index"), *memories])
    wanted = r"(?i)(?<!not )(?<!than )(?<!over )\b"
    indent = "\t" if re.search(rf"{wanted}tabs\b", known) else "    "
    mark = "'" if re.search(rf"{wanted}single quotes\b", known) else '"'
    text = f"def main():\n{indent}print({mark}Hello{mark})\n\n\nmain()\n"
    given = {"file_path": file, "content": text}
    return calls.call_tools(task, [("Write", given)])


def _read_found(
    task: Task, name: str, given: Mapping[str, object]
) -> Reply | None:
    """Read the memories that a search finds; None once that is done."""
    if not task.steps:
        search = name, {**given, "path": task.directory}
        return calls.call_tools(task, [search])
    lines = task.steps[0].result.splitlines()
    names = [line.removeprefix(f"{task.directory}/") for line in lines]
    return calls.read_step(
        task, [*filter(scan.is_memory_file, names)][:MOST_READ]
    )


def _say_what_is_known(task: Task) -> Reply:
    """Answer with the memories as they are now."""
    step = _read_found(task, "Glob", {"pattern": "**/*.md"})
    if step is not None:
        return step
    known = [
        f"\n- {_first_paragraph(memory.body)} ({file})"
        for file, memory in _memories(task).items()
    ]
    told = f"From your memories:{''.join(known)}"
    return calls.answer_with(told if known else ANSWERS["nothing_known"])


def _quote(task: Task) -> Reply | None:
    """Answer a question with the lines of today's log, or with the memories
    that recall attached to it; None if there are none.
    """
    messages = task.request.messages
    typed = [n for n, one in enumerate(messages) if persons_text(one)]
    attached = read_blocks("\n".join(reminders(messages[typed[-1] :])))
    quoted = "From memory: " + " ".join(_said_in(attached, "{1} ({0})"))
    if says("what_was_today", task.request.said) and task.body("daily_log"):
        lines = log_lines(task.body("daily_log"))
        quoted = "From today's log: " + " ".join(lines[-MOST_QUOTED:])
    return None if quoted.endswith(": ") else calls.answer_with(quoted)


def _said_in(blocks: Mapping[str, Sequence[Block]], form: str) -> list[str]:
    """Say what the memories in a request say, each with its file."""
    return [
        form.format(
            one.attributes.get("file", "A memory"), _first_paragraph(one.body)
        )
        for one in blocks.get("memory", ())
    ]


def _first_paragraph(text: str) -> str:
    """Give the first paragraph below a memory's header, if it has one."""
    body = re.sub(r"(?ms)\A.*?^---\n.*?^---\n", "", text, count=1)
    return shorten(body.strip().partition("\n\n")[0], QUOTED)


def _remember(task: Task) -> Reply | None:
    """Save what the person asks to have remembered, within the turn; None
    where that is nothing, or where the request does not tell the day.
    """
    at = today(task)
    found = statements.find(task.said, at) if at else []
    if at is None or not any(one.asked for one in found):
        return None
    changes = write(task, statements.memories_in(task.said, at))
    return calls.finish(task, changes, "") if changes else None


def _forget(task: Task, what: str) -> Reply:
    """Search, read what was found, and drop the one memory that shares most
    words, at least half of them; the words of a title count twice.
    """
    terms = set(terms_of(what.strip(" .!").removesuffix(".md"))) - _WEAK
    if not terms:
        return calls.answer_with(ANSWERS["nothing_named"])
    if task.steps and task.steps[-1].name == "Write":
        done = task.steps[-1]
        dropped = ANSWERS["dropped"].format(file=task.file_of(done))
        return calls.answer_with(done.result if done.failed else dropped)
    pattern = "|".join(rf"\b{re.escape(term)}" for term in sorted(terms))
    step = _read_found(task, "Grep", {"pattern": pattern, "-i": True})
    if step is not None:
        return step
    scores: dict[str, int] = {}
    for file, memory in _memories(task).items():
        title = f"{memory.name} {memory.description} {file[:-3]}"
        in_title = terms.intersection(terms_of(title))
        fits = in_title | terms.intersection(terms_of(memory.body))
        if 2 * len(fits) >= len(terms):
            scores[file] = len(fits) + len(in_title)
    best = [file for file in scores if scores[file] == max(scores.values())]
    if len(best) == 1:
        why = "the person asked for it to be forgotten"
        return calls.call_tools(task, [calls.drop(task, best[0], "", why)])
    found = "several_found" if best else "nothing_found"
    return calls.answer_with(ANSWERS[found].format(files=", ".join(best)))


# The daily log


def log_step(task: Task, lines: Sequence[str]) -> Reply | None:
    """Give the next call that adds lines to today's log, if it takes one:
    read it, then write it with the lines at its end.
    """
    day = today(task)
    if not lines or day is None:
        return None
    file = log_path(day.date())
    steps = [one.name for one in task.steps if task.file_of(one) == file]
    if not steps:
        return calls.read_step(task, [file])
    added = "".join(f"- {line}\n" for line in lines)
    grown = task.files.get(file, "") + added
    return calls.write_step(task, [calls.write(task, file, grown)])


def lines_to_log(task: Task) -> list[str]:
    """Give what the person says for a log, so that a dream finds it again."""
    at = today(task) or SOME_DAY
    return [
        text if statements.find(text, at) else f"Remember: {text}"
        for text in (
            fold_space(statements.with_dates(one.text, at))
            for one in statements.find(task.said, at)
        )
    ]


def logged_messages(task: Task) -> list[Spoken]:
    """Give each line of the logs that a dream has read as a message of its
    day.
    """
    return [
        Spoken(line, at=datetime.combine(day, time(12), UTC))
        for file, text in task.files.items()
        if (day := log_day(file))
        for line in log_lines(text)
    ]


def today(task: Task) -> datetime | None:
    """Give the noon of the person's day, None where the request does not tell
    it.
    """
    with suppress(ValueError):
        day = datetime.fromisoformat(task.body("date"))
        return day.replace(hour=12, tzinfo=UTC)
    return None
