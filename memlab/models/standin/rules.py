"""The fallback rules, for what no script contains: what they answer in each
kind of request.

They do what rules can do safely, and leave the rest.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, time

from memlab.errors import MemlabError
from memlab.evidence.quotes import without_quotes
from memlab.evidence.sentences import split_lines
from memlab.memdir.daily_log import log_day, log_lines, log_path
from memlab.memdir.index import parse_pointers, pointer_to, settle
from memlab.memdir.memory import (
    Memory,
    MemoryType,
    format_memory,
    parse_memory,
)
from memlab.memdir.names import file_name
from memlab.memdir.places import INDEX
from memlab.memdir.rules import check
from memlab.memdir.secrets import find_secrets
from memlab.models.standin import calls, statements
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
AGREED = "OK, I'll keep that in mind for this session."
NOT_TOLD = "I don't know. Nothing that I was sent says so."
NOTHING_NAMED = (
    "/undo takes back what was saved last. Or say what the memory is about,"
    " and I'll look for it."
)
NOTHING_KNOWN = "Nothing yet. Tell me something about you or your work."
# Words that say nothing about which memory is meant.
_WEAK = frozenset(terms_of("thing know use like prefer said told memory"))

_FORGET = re.compile(
    r"(?is)^(?:(?:please|ok(?:ay)?|hey|and)[,:]? )*(?:forget|(?:delete|remove"
    r"|drop|erase) (?:the|your|my) memor(?:y|ies))"
    r"(?: (?:everything|anything|what (?:i|you) \w+(?: you)?))?"
    r"(?: (?:about|of|that|the memory))*[,:]?(?P<what>.*)$"
)
_NOT_TO_FORGET = re.compile(r"(?i)\?\W*$|\b(?:for now|now|today|until)\b")
_ASKS_WHAT_IS_KNOWN = re.compile(
    r"(?i)\byou (?:still )?(?:know|remember)(?: anything)?(?: (?:about|of)"
    r" (?:me|us|this project|my \w+))?\W*$|\bwho am i\W*$"
    r"|\bwhat (?:did|have) i (?:tell|told) you about m[ey]\b"
    r"|\bwhat are my (?:preferences|memories)\b"
)
_ASKS_FOR_FILE = re.compile(
    r"(?i)\b(?:create|make|write|add) (?:a|an|the) (?:\w+ ){0,2}(?:file|script)"
    r"(?: called| named)? [`'\"]?(?P<file>[\w./-]+\.py)\b"
)
_FIRST_PERSON = re.compile(r"(?i)\b(?:i|me|my|mine|we|us|our)\b")
_ABOUT_TODAY = re.compile(r"(?i)\b(?:today|this morning|earlier)\b.*\?\W*$")
_SPEAKER = re.compile(r"^(?:\d\d:\d\d )?(?:[^\W\d_a-z]\w+|The person): ")


# Extraction, recall


def worth_saving(task: Task, text: str, at: datetime) -> Iterator[Memory]:
    """Make the memories of a message that are new and that the policy
    accepts.
    """
    shown = [
        *task.blocks.get("index", ()),
        *task.blocks.get("index_news", ()),
    ]
    known = {one.hook for each in shown for one in parse_pointers(each.body)}
    known.update(header.description for header in task.manifest)
    for memory in statements.memories_in(text, at):
        instructions = task.body("instructions")
        found = check(memory, at, project_instructions=instructions)
        refused = any(one.severity == "refuse" for one in found)
        if not refused and memory.description not in known:
            yield memory


def save(task: Task, messages: Sequence[Spoken]) -> list[calls.Call]:
    """Write a new memory for every statement; a memory that exists is never
    written over.
    """
    taken = {header.filename: "" for header in task.manifest}
    changes = []
    for message in messages:
        at = message.at or statements.SOME_DAY
        for memory in worth_saving(task, message.text, at):
            file = file_name(memory.name, taken)
            taken[file] = ""
            changes.append(calls.write(task, file, format_memory(memory)))
    return changes


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
        header.filename: len(
            asked.intersection(terms_of(searched_text(header)))
        )
        for header in index.rank(query, settings.select_max_memories)
    }
    most = max(shared.values(), default=0)
    names = [name for name, count in shared.items() if 2 * count >= most]
    return calls.answer_with(json.dumps({"selected_memories": names}))


# The dream


def dream(task: Task, also: Sequence[calls.Call] = ()) -> Reply:
    """Do what code can know: exact duplicates, dates, and pointers that are
    dead or missing. ``also`` are changes that the logs have called for.
    """
    listed = [header.filename for header in task.manifest]
    step = calls.read_step(task, [INDEX, *listed[:MOST_READ]])
    if step is not None:
        return step
    memories = _memories(task)
    changes = list(also)
    first_with: dict[tuple[MemoryType | None, str], str] = {}
    for header in task.manifest:
        file = header.filename
        memory = memories.get(file)
        if memory is None or not memory.body.strip():
            continue
        text = fold_space(memory.body).lower()
        kept = first_with.setdefault((memory.type, text), file)
        if kept != file:
            changes.append(calls.drop(task, file, kept))
            del memories[file]
            continue
        for line in memory.body.splitlines():
            dated = statements.with_dates(line, header.mtime)
            if dated != line and memory.body.count(line) == 1:
                changes.append(calls.edit(task, file, line, dated))
    pointers = {
        file: pointer_to(file, memory.name, memory.description)
        for file, memory in memories.items()
    }
    index = task.files.get(INDEX, "")
    settled = settle(index, listed, pointers.get).text
    if INDEX in task.files and settled != index:
        changes.append(calls.write(task, INDEX, settled))
    longest = Settings().index_line_characters
    long = sum(len(line) > longest for line in index.splitlines())
    done = calls.what_was_saved(task) if changes else "Everything is in order."
    if long:
        done += (
            f" {long} lines of the index are too long; rules can't say what"
            " to leave out."
        )
    return calls.write_step(task, changes) or calls.answer_with(done)


def _memories(task: Task) -> dict[str, Memory]:
    """Give the memories that were read and are memories, by file."""
    found = {}
    for file, text in task.files.items():
        with suppress(MemlabError):
            found[file] = parse_memory(text)
    return found


# Compaction, and the notes of a session


def compact(task: Task) -> Reply:
    """Summarise what rules can see: the first and the newest request, and the
    files changed.
    """
    goals = []
    for message in task.spoken:
        said = [one.text for one in split_lines(message.text)]
        wished = {
            one
            for one in said
            if statements.find_statements(one, statements.SOME_DAY)
        }
        goal = " ".join(one for one in said if one not in wished)
        goals.append(goal or "What the person asked for.")
    changed = dict.fromkeys(
        f"- Changed {task.file_of(step)}."
        for step in steps_in(task.request.messages)
        if step.name in calls.CHANGES and not step.failed
    )
    parts = {
        "Goal": f"- {shorten(goals[0], 160)}",
        "Done": "\n".join(changed) or "- No file was changed.",
        "Remaining": f"- The newest request: {shorten(goals[-1], 120)}",
        "Constraints": "- None that rules can see.",
    }
    told = [f"## {heading}\n{text}" for heading, text in parts.items()]
    return calls.answer_with("\n\n".join(told))


def write_notes(task: Task) -> Reply | None:
    """Add what the new messages say to the notes: no questions, quotations and
    secrets. Above the limit, the oldest lines go.

    Notes that replaced the beginning of the conversation are the start of a
    file that is empty.
    """
    old = text = task.body("session_notes")
    if not text:
        shown = read_blocks("\n".join(reminders(task.request.messages)))
        text = "".join(one.body for one in shown.get("session_notes", ())[-1:])
    text = text.strip() or "## What the person said\n"
    for message in task.new_messages():
        said = [one.text for one in split_lines(without_quotes(message.text))]
        own = [one for one in said if one[-1] != "?" and not find_secrets(one)]
        line = f"- {shorten(' '.join(own), NOTE_CHARACTERS)}"
        if len(words(line)) > 2 and line not in text.splitlines():
            text += f"\n{line}"
    limit = int(task.blocks["session_notes"][-1].attributes.get("limit", 0))
    while 0 < limit <= len(text.encode()) and "\n- " in text:
        text = re.sub(r"\n- .*", "", text, count=1)
    if "\n- " not in text or text == old:
        return None
    given = {"file_path": task.body("notes_file"), "content": f"{text}\n"}
    return calls.write_step(task, [("Write", given)])


# The conversation


def converse(task: Task) -> Reply | None:
    """Answer what a person tries first; None for anything else."""
    said = task.request.said
    if not task.directory and not task.request.tool_names:
        return _talk_about_person(task)
    if named := _ASKS_FOR_FILE.search(said):
        return _create(task, named["file"])
    if not task.directory:
        return None
    forget = _FORGET.search(said)
    if forget and not _NOT_TO_FORGET.search(said):
        return _forget(task, forget["what"])
    if _ASKS_WHAT_IS_KNOWN.search(said):
        return _say_what_is_known(task)
    if said.endswith("?"):
        return _quote(task)
    return _remember(task)


def _talk_about_person(task: Task) -> Reply | None:
    """Answer an agent without memory and tools: it can look nowhere but in the
    request.
    """
    said = task.request.said
    if not _FIRST_PERSON.search(said):
        return None
    if not said.endswith("?"):
        return calls.answer_with(AGREED)
    typed = filter(None, map(persons_text, task.request.messages))
    told = [text for text in typed if not text.rstrip().endswith("?")]
    known = [f"You said: “{shorten(text, QUOTED)}”" for text in told]
    known += _said_in(task.blocks, "{0} says: “{1}”")
    return calls.answer_with(" ".join(known) or NOT_TOLD)


def _create(task: Task, file: str) -> Reply:
    """Write a small file in the style that memory asks for, where it does."""
    memories = [one.body for one in task.blocks.get("memory", ())]
    known = " ".join([task.body("index"), *memories])
    wanted = r"(?i)(?<!not )(?<!than )(?<!over )\b"
    indent = "\t" if re.search(rf"{wanted}tabs\b", known) else "    "
    mark = "'" if re.search(rf"{wanted}single quotes\b", known) else '"'
    text = f"def main():\n{indent}print({mark}Hello{mark})\n\n\nmain()\n"
    if not task.steps:
        given = {"file_path": file, "content": text}
        return calls.call_tools(task, [("Write", given)])
    done = task.steps[-1]
    failed = f"I did not write {file}: {done.result}"
    return calls.answer_with(failed if done.failed else f"I wrote {file}.")


def _read_found(task: Task, search: calls.Call) -> Reply | None:
    """Read the memories that a search finds; None once that is done."""
    if not task.steps:
        return calls.call_tools(task, [search])
    named = re.findall(r"([\w.-]+\.md)\b", task.steps[0].result)
    files = [file for file in dict.fromkeys(named) if file != INDEX]
    return calls.read_step(task, files[:MOST_READ])


def _say_what_is_known(task: Task) -> Reply:
    """Answer with the memories as they are now."""
    search = "Glob", {"pattern": "*.md", "path": task.directory}
    step = _read_found(task, search)
    if step is not None:
        return step
    known = [
        f"\n- {_first_paragraph(memory.body)} ({file})"
        for file, memory in _memories(task).items()
        if memory.body.strip()
    ]
    told = f"From your memories:{''.join(known)}"
    return calls.answer_with(told if known else NOTHING_KNOWN)


def _quote(task: Task) -> Reply | None:
    """Answer a question with the lines of today's log, or with the memories
    that recall attached to it; None if there are none.
    """
    messages = task.request.messages
    typed = [n for n, one in enumerate(messages) if persons_text(one)]
    attached = read_blocks("\n".join(reminders(messages[typed[-1] :])))
    quoted = "From memory: " + " ".join(_said_in(attached, "{1} ({0})"))
    if _ABOUT_TODAY.search(task.request.said) and task.body("daily_log"):
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
    """Save what the person asks to have remembered, within the turn.

    None where that is nothing, and where the words count from a day that the
    request does not tell: the extraction after the turn knows it.
    """
    day = today(task)
    at = day or statements.SOME_DAY
    is_dated = day or statements.with_dates(task.said, at) == task.said
    if not statements.asks_to_remember(task.said) or not is_dated:
        return None
    pointers = parse_pointers(task.body("index"))
    taken = {pointer.file: "" for pointer in pointers}
    changes = []
    for memory in statements.memories_in(task.said, at):
        file = file_name(memory.name, taken)
        taken[file] = ""
        changes.append(calls.write(task, file, format_memory(memory)))
    if not changes:
        return None
    return calls.write_step(task, changes) or calls.answer_with(
        calls.what_was_saved(task)
    )


def _forget(task: Task, what: str) -> Reply:
    """Search, read what was found, and drop the one memory that shares most
    words, at least half of them; the words of a title count twice.
    """
    terms = set(terms_of(what.strip(" .!").removesuffix(".md"))) - _WEAK
    if not terms:
        return calls.answer_with(NOTHING_NAMED)
    if task.steps and task.steps[-1].name == "Write":
        done = task.steps[-1]
        dropped = f"I dropped {task.file_of(done)}. /undo brings it back."
        return calls.answer_with(done.result if done.failed else dropped)
    pattern = "|".join(rf"\b{re.escape(term)}" for term in sorted(terms))
    given = {"pattern": pattern, "path": task.directory, "-i": True}
    step = _read_found(task, ("Grep", {**given, "output_mode": "content"}))
    if step is not None:
        return step
    scores: Counter[str] = Counter()
    for file, memory in _memories(task).items():
        title = terms_of(f"{memory.name} {memory.description} {file[:-3]}")
        in_title = len(terms.intersection(title))
        in_body = len(terms.intersection(terms_of(memory.body)))
        if 2 * max(in_title, in_body) >= len(terms):
            scores[file] = 2 * in_title + in_body
    best = [file for file in scores if scores[file] == max(scores.values())]
    if len(best) == 1:
        why = "the person asked for it to be forgotten"
        return calls.call_tools(task, [calls.drop(task, best[0], "", why)])
    if best:
        return calls.answer_with(
            f"More than one memory fits: {', '.join(best)}. Name the file to"
            " forget."
        )
    return calls.answer_with(
        "I found no memory about that, so nothing is dropped."
    )


# The daily log


def log_step(task: Task, lines: Sequence[str]) -> Reply | None:
    """Give the next call that adds lines to today's log, if it takes one:
    read it, then write it with the lines at its end.
    """
    day = today(task)
    if not lines or day is None:
        return None
    file = log_path(day.date())
    steps = [one for one in task.steps if task.file_of(one) == file]
    if any(one.name in calls.CHANGES for one in steps):
        return None
    path = calls.path_of(task, file)
    if not steps:
        return calls.call_tools(task, [("Read", {"file_path": path})])
    grown = task.files.get(file, "") + "\n".join(lines) + "\n"
    return calls.call_tools(task, [calls.write(task, file, grown)])


def answers_that_log(task: Task) -> int:
    """Count the answers to the person's newest words that only added to the
    log.
    """
    files = map(task.file_of, task.steps)
    return sum(log_day(file) is not None for file in files)


def logged_messages(task: Task) -> list[Spoken]:
    """Give each line of the logs that a dream has read as a message of its
    day, without the speaker.
    """
    return [
        Spoken(_SPEAKER.sub("", line), at=datetime.combine(day, time(12), UTC))
        for file, text in task.files.items()
        if (day := log_day(file))
        for line in log_lines(text)
    ]


def today(task: Task) -> datetime | None:
    """Give the noon of the person's day, None where the request does not tell it."""
    with suppress(ValueError):
        day = datetime.fromisoformat(task.body("date"))
        return day.replace(hour=12, tzinfo=UTC)
    return None
