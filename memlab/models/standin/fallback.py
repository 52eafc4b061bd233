"""The fallback rules of each purpose, for what no script contains.

They do what rules can do safely, and leave the rest. What a message says that
is worth a memory is decided in ``statements``.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from memlab.errors import MemlabError
from memlab.evidence.quotes import without_quotes
from memlab.evidence.sentences import split_lines
from memlab.memdir.dates import find_relative_times
from memlab.memdir.index import parse_pointers, pointer_to, settle
from memlab.memdir.memory import Memory, MemoryType, parse_memory
from memlab.memdir.names import file_name
from memlab.memdir.places import INDEX
from memlab.memdir.scan import MemoryHeader
from memlab.memdir.secrets import find_secrets
from memlab.models.standin.calendar import write_dates
from memlab.models.standin.requests import (
    Spoken,
    Step,
    Task,
    reminders,
    steps_in,
)
from memlab.models.standin.statements import (
    asks_to_remember,
    find_statements,
    new_memories,
    persons_name,
)
from memlab.models.standin.tools import (
    Call,
    answer_with,
    call_tools,
    drop_memory,
    edit_memory,
    first_paragraph,
    path_of,
    read_step,
    what_was_saved,
    write_memory,
    write_step,
)
from memlab.models.wire import Reply
from memlab.prompts.blocks import read_blocks
from memlab.recall.keyword import KeywordIndex, searched_text
from memlab.recall.selection import explains_tool_in_use
from memlab.settings import Settings
from memlab.text import (
    fold_space,
    persons_text,
    shorten,
    terms_of,
    words,
)

_SOME_DAY = datetime(2026, 1, 1, tzinfo=UTC)
MOST_READ = 30  # memories that a dream by rules looks at
# Words that say nothing about which memory is meant, as terms.
WEAK = frozenset(
    terms_of(
        "work thing know use want like prefer said told memory ich mag mir"
        " mich mein meine habe über gesagt je me mon ma aime préfère que"
    )
)


# --- extraction
# ---------------------------------------------------------------------------------


def memories_to_save(task: Task, messages: Sequence[Spoken]) -> list[Call]:
    """Write a new memory for every statement; what the manifest lists is never
    written over.
    """
    manifest = task.manifest
    known = {fold_space(header.description).lower() for header in manifest}
    taken = {header.filename: "" for header in manifest}
    calls = []
    name = persons_name(spoken.text for spoken in task.spoken)
    for message in messages:
        at = message.at or _SOME_DAY
        for memory in new_memories(
            message.text, at, manifest, task.body("instructions"), name
        ):
            if fold_space(memory.description).lower() in known:
                continue
            file = file_name(memory.name, taken)
            taken[file] = ""
            calls.append(write_memory(task, file, memory))
    return calls


# --- recall
# -------------------------------------------------------------------------------------


def select(task: Task, settings: Settings) -> Reply:
    """Choose memories by the words they share with the message; tool notes as
    recall does.
    """
    shown = set(task.body("already_shown").replace(",", " ").split())
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
    chosen = index.rank(query, settings.select_max_memories)
    asked = set(terms_of(query))
    shared = [
        len(asked.intersection(terms_of(searched_text(header))))
        for header in chosen
    ]
    enough = max(shared, default=0) / 2
    names = [
        header.filename
        for header, count in zip(chosen, shared, strict=True)
        if count >= enough
    ]
    return answer_with(json.dumps({"selected_memories": names}))


# --- the dream
# ----------------------------------------------------------------------------------


def dream(task: Task, also: Sequence[Call] = ()) -> Reply:
    """Do what code can know: exact duplicates, dates, and pointers that are
    dead or missing. ``also`` are changes that the logs have called for.
    """
    headers = task.manifest[:MOST_READ]
    step = read_step(task, [INDEX, *(header.filename for header in headers)])
    if step is not None:
        return step
    calls = [*also, *_dream_changes(task, headers)]
    return write_step(task, calls) or answer_with(_dreamt(task, calls))


def _dream_changes(
    task: Task, headers: Sequence[MemoryHeader]
) -> Iterator[Call]:
    memories = dict(_parsed(task, headers))
    twins: dict[tuple[str, str], list[str]] = defaultdict(list)
    for header in headers:
        memory = memories.get(header.filename)
        if memory is not None and memory.body.strip():
            twins[str(memory.type), fold_space(memory.body).lower()].append(
                header.filename
            )
    dropped = {
        file: kept for kept, *others in twins.values() for file in others
    }
    for file, kept in dropped.items():
        yield drop_memory(task, file, superseded_by=kept)
    for header in headers:
        memory = memories.get(header.filename)
        if memory is not None and header.filename not in dropped:
            for line in dict.fromkeys(memory.body.splitlines()):
                dated = _with_dates(line, header.mtime)
                if dated != line and memory.body.count(line) == 1:
                    yield edit_memory(task, header.filename, line, dated)
    index = task.files.get(INDEX)
    if index is not None:
        repaired = _repaired(
            index,
            {file: memories[file] for file in memories if file not in dropped},
            task,
        )
        if repaired != index:
            yield (
                "Write",
                {
                    "file_path": path_of(task, INDEX),
                    "content": repaired,
                },
            )


def _parsed(
    task: Task, headers: Sequence[MemoryHeader]
) -> Iterator[tuple[str, Memory]]:
    for header in headers:
        try:
            yield header.filename, parse_memory(task.files[header.filename])
        except (KeyError, MemlabError):
            continue


def _with_dates(line: str, written: datetime) -> str:
    """Write dates where the day is certain, counted from the day of the file."""
    for phrase in reversed(find_relative_times(line, written)):
        if phrase.sure and re.fullmatch(r"\d{4}-\d\d-\d\d", phrase.instead):
            end = phrase.offset + len(phrase.words)
            line = f"{line[: phrase.offset]}on {phrase.instead}{line[end:]}"
    return line


def _repaired(index: str, memories: dict[str, Memory], task: Task) -> str:
    made = {
        file: pointer_to(file, one.name, one.description)
        for file, one in memories.items()
    }
    listed = [header.filename for header in task.manifest]
    return settle(index, listed, made.get).text


def _dreamt(task: Task, calls: Sequence[Call]) -> str:
    made = [
        step
        for step in task.steps
        if step.name in ("Write", "Edit") and not step.failed
    ]
    limit = Settings().index_line_characters
    long = [
        line
        for line in task.files.get(INDEX, "").splitlines()
        if len(line) > limit
    ]
    text = (
        f"Changed {len(made)} of {len(calls)}."
        if calls
        else "Everything is in order."
    )
    if long:
        text += (
            f" {len(long)} lines of the index are too long; rules can't say"
            " what to leave out."
        )
    return text


# --- compaction
# ---------------------------------------------------------------------------------


def compact(task: Task) -> Reply:
    """Summarise what rules can see: the first and the newest request, and the
    files changed.
    """
    texts = [one.text for one in task.spoken] or [
        "Nothing that could be read."
    ]
    said = [_without_statements(text) for text in texts]
    changed = [
        f"- {_HELPED[step.name]} {step.file}."
        for step in steps_in(task.request.messages)
        if step.name in _HELPED and not step.failed
    ]
    wishes = sum(bool(find_statements(text, _SOME_DAY)) for text in texts)
    parts = {
        "Goal": f"- {shorten(said[0], 160)}",
        "Done": "\n".join(dict.fromkeys(changed)) or "- No file was changed.",
        "Remaining": f"- The newest request: {shorten(said[-1], 120)}",
        "Constraints": (
            f"- {wishes} of the person's messages said how they want things"
            " done. These rules can't tell which of them still hold, so none"
            " is repeated here."
            if wishes
            else "- None that rules can see."
        ),
    }
    return answer_with(
        "\n\n".join(f"## {head}\n{text}" for head, text in parts.items())
    )


def _without_statements(text: str) -> str:
    """Leave out how the person wants things done: that is no part of the task
    itself.
    """
    kept = [
        one.text
        for one in split_lines(text)
        if not find_statements(one.text, _SOME_DAY)
    ]
    return " ".join(kept) or "What the person asked for."


_HELPED = {"Edit": "Changed", "Write": "Wrote"}


# --- the notes of a session
# --------------------------------------------------------------------------------

_SAID = "## What the person said"
_DONE = "## What was done"
_NOTE_CHARACTERS = 240
_NOTE_WORDS = 3  # a shorter sentence says nothing that is worth a line


def lines_for_notes(message: Spoken) -> list[str]:
    """Make a line of what a message says: no questions, no quotations and no
    secrets.
    """
    own = [
        one.text
        for one in split_lines(without_quotes(message.text))
        if not one.text.endswith("?")
        and len(words(one.text)) >= _NOTE_WORDS
        and not find_secrets(one.text)
    ]
    return [shorten(" ".join(own), _NOTE_CHARACTERS)] if own else []


def notes_with(task: Task, lines: Sequence[str]) -> str:
    """Return the notes with new lines, and with the files that were changed.

    Above the limit, the oldest lines go. Notes that replaced the beginning of
    the conversation are the start of a file that is empty.
    """
    shown = task.blocks["session_notes"][-1]
    text = shown.body.strip()
    if not text:
        attached = read_blocks("\n".join(reminders(task.request.messages)))
        for block in attached.get("session_notes", ()):
            text = block.body.strip()
    file = task.body("notes_file").strip()
    changed = [
        f"{_HELPED[step.name]} {step.file}."
        for step in steps_in(task.request.messages)
        if step.name in _HELPED
        and not step.failed
        and step.given.get("file_path") != file
    ]
    text = _add_below(text, _SAID, lines)
    text = _add_below(text, _DONE, changed)
    limit = int(shown.attributes.get("limit", "0"))
    if limit and len(text.encode()) >= limit:
        # not after every turn again
        while len(text.encode()) > limit * 3 / 4 and "\n- " in text:
            before, _, after = text.partition("\n- ")
            text = f"{before}\n{after.partition(chr(10))[2]}"
    return text.strip()


def change_of_notes(task: Task, text: str) -> Call:
    """Give the notes a new text: by an edit from the first line that changes
    to the last, or by writing the whole file where that is shorter.
    """
    file = {"file_path": task.body("notes_file").strip()}
    old = task.body("session_notes").strip().split("\n")
    new = text.split("\n")
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    # with the line before, so that there is something to replace
    first = max(first - 1, 0)
    last = 0
    while (
        last < min(len(old), len(new)) - first - 1
        and old[-1 - last] == new[-1 - last]
    ):
        last += 1
    before = "\n".join(old[first : len(old) - last])
    after = "\n".join(new[first : len(new) - last])
    is_unique = before and "\n".join(old).count(before) == 1
    if not is_unique or len(before) + len(after) > len(text):
        return "Write", {**file, "content": f"{text}\n"}
    return "Edit", {**file, "old_string": before, "new_string": after}


def _add_below(text: str, heading: str, lines: Sequence[str]) -> str:
    """Add list entries that are not there yet at the end of a section."""
    there = text.splitlines()
    fresh = [
        entry
        for entry in dict.fromkeys(f"- {line}" for line in lines)
        if entry not in there
    ]
    if not fresh:
        return text
    if heading not in there:
        there += ["", heading, ""]
    end = there.index(heading) + 1
    while end < len(there) and not there[end].startswith("## "):
        end += 1
    section = "\n".join(there[:end]).strip()
    rest = "\n".join(there[end:])
    space = "\n\n" if section.endswith(heading) else "\n"
    whole = section + space + "\n".join(fresh)
    return f"{whole}\n\n{rest}".strip()


# --- the main conversation
# ----------------------------------------------------------------------


def main(task: Task) -> Reply | None:
    """Answer "remember …", "forget …" and "what do you remember?"; None for
    anything else.
    """
    said = task.request.said
    if not task.directory:
        return None
    what = _to_forget(said)
    if what:
        return _forget(task, what)
    if _ABOUT_MEMORY.search(said):
        return answer_with(_remembered(task))
    if said.endswith("?"):
        return _quote_recalled(task)
    return _remember(task)


def talk_about_person(task: Task) -> Reply | None:
    """Answer a question about the person with what the request says of them,
    and agree to what they say of themselves; None for anything else.

    Only an agent with neither a memory directory nor tools does this. It can
    look nowhere but in the request.
    """
    said = task.request.said
    is_bare = not task.directory and not task.request.tool_names
    if not is_bare or not _FIRST_PERSON.search(said):
        return None
    if not said.endswith("?"):
        return answer_with(AGREED)
    own = [
        text
        for message in task.request.messages
        for text in [persons_text(message) or ""]
        if text and not text.rstrip().endswith("?")
    ]
    known = [f"You said: “{shorten(text, 160)}”" for text in own]
    known += [
        f"{one.attributes.get('file', 'A memory')} says:"
        f" “{shorten(_first_words(one.body), 160)}”"
        for one in task.blocks.get("memory", ())
    ]
    return answer_with(" ".join(known) or NOT_TOLD)


def _quote_recalled(task: Task) -> Reply | None:
    """Answer a question with the memories that recall attached to it; None if
    there are none.
    """
    messages = task.request.messages
    place = max(
        n
        for n, message in enumerate(messages)
        if persons_text(message) is not None
    )
    attached = read_blocks("\n".join(reminders(messages[place:])))
    quoted = [
        f"{shorten(_first_words(one.body), 160)}"
        f" ({one.attributes.get('file', 'a memory')})"
        for one in attached.get("memory", ())
    ]
    return answer_with("From memory: " + " ".join(quoted)) if quoted else None


def _first_words(text: str) -> str:
    """Give the first paragraph of a memory's body."""
    body = re.sub(
        r"(?s)^.*?^---\n.*?^---\n", "", text, count=1, flags=re.MULTILINE
    )
    return first_paragraph(body)


def _remember(task: Task) -> Reply | None:
    """Save what the person asks to have remembered, within the turn.

    None where nothing is to be saved, and where the words count from a day
    that the request does not tell: then the extraction after the turn saves
    them, because it knows the day.
    """
    words = next(
        filter(None, map(persons_text, reversed(task.request.messages))), ""
    )
    day = task.body("date").strip()
    at = (
        datetime.fromisoformat(f"{day}T12:00:00+00:00")
        if _DAY.fullmatch(day)
        else None
    )
    if not asks_to_remember(words) or (
        at is None and write_dates(words, _SOME_DAY)[0] != words
    ):
        return None
    pointers = parse_pointers(task.body("index"))
    taken = {pointer.file: "" for pointer in pointers}
    calls = []
    said = filter(None, map(persons_text, task.request.messages))
    name = persons_name(said)
    for memory in new_memories(
        words, at or _SOME_DAY, (), task.body("instructions"), name
    ):
        file = file_name(memory.name, taken)
        taken[file] = ""
        calls.append(write_memory(task, file, memory))
    if not calls:
        return None
    return write_step(task, calls) or answer_with(what_was_saved(task))


def _to_forget(said: str) -> str:
    """Give what is to be forgotten, "" where nothing is."""
    found = _FORGET.search(said)
    if (
        found is None
        or said.rstrip().endswith("?")
        or _TASK_AFTER.search(said[found.start() :])
    ):
        return ""
    return fold_space(found["what"]).rstrip(" .!")


def _forget(task: Task, what: str) -> Reply:
    """Search, read what was found, and drop the one memory that fits best."""
    terms = [
        term
        for term in dict.fromkeys(terms_of(what.removesuffix(".md")))
        if term not in WEAK
    ]
    if not terms:
        return answer_with(
            "Say what the memory is about, and I'll look for it."
        )
    if not task.steps:
        pattern = "|".join(rf"\b{re.escape(term)}" for term in terms)
        given = {
            "pattern": pattern,
            "path": task.directory,
            "output_mode": "content",
            "-i": True,
        }
        return call_tools(task, [("Grep", given)])
    if task.steps[-1].name == "Write":
        done = task.steps[-1]
        if done.failed:
            return answer_with(f"I dropped nothing: {fold_space(done.result)}")
        return answer_with(
            f"I dropped {task.file_of(done)}. /undo brings it back."
        )
    found = _files_in(task.steps[0])
    step = read_step(task, found[:MOST_READ])
    if step is not None:
        return step
    best = _best(
        task,
        terms,
        personal=bool(re.match(r"(?i)i\b|my\b|me\b|ich\b|je\b", what)),
    )
    if len(best) == 1:
        call = drop_memory(
            task, best[0], reason="the person asked for it to be forgotten"
        )
        return call_tools(task, [call])
    if best:
        return answer_with(
            f"More than one memory fits: {', '.join(best)}. Name the file to"
            " forget."
        )
    return answer_with("I found no memory about that, so nothing is dropped.")


def _files_in(search: Step) -> list[str]:
    named = re.findall(r"(?m)([\w.-]+\.md)\b", search.result)
    return [file for file in dict.fromkeys(named) if file != INDEX]


def _best(task: Task, terms: Sequence[str], *, personal: bool) -> list[str]:
    """Name the memories that fit best: the words of a title count more than
    those of a body.
    """
    scores: dict[str, float] = {}
    for file, text in task.files.items():
        try:
            memory = parse_memory(text)
        except MemlabError:
            continue
        title = set(
            terms_of(f"{memory.name} {memory.description} {file[:-3]}")
        )
        shared = (
            len(title.intersection(terms)),
            len(set(terms_of(memory.body)).intersection(terms)),
        )
        if max(shared) * 2 >= len(terms):
            scores[file] = 2 * shared[0] + shared[1]
            scores[file] += personal and memory.type is MemoryType.user
    most = max(scores.values(), default=0)
    return sorted(file for file, score in scores.items() if score == most)


def _remembered(task: Task) -> str:
    pointers = task.pointers
    if not pointers:
        return "Nothing yet: the index of your memories is empty."
    lines = [
        f"- {pointer.title} ({pointer.file}): {pointer.hook}"
        for pointer in pointers
    ]
    return "These memories are in the index:\n" + "\n".join(lines)


_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_FORGET = re.compile(
    r"(?is)^(?:(?:please|ok(?:ay)?|hey|and|bitte)[,:]? )*(?:(?:can|could|would"
    r"|will) you )?(?:please )?"
    r"(?:(?:forget|unlearn)(?: everything| anything| what (?:i|you)(?:['’]ve)?"
    r" (?:said|know"
    r"|told you"
    r"|saved|remember(?:ed)?))?(?: about| of| that| the memory(?: about|"
    r" of)?)?"
    r"|(?:delete|remove|drop|erase) (?:the|your|my) memor(?:y|ies)"
    r" (?:about|of|that)"
    r"|vergiss(?: bitte)?,? (?:dass|alles über|was ich über)|oublie(?:z)?"
    r" (?:que|qu['’]|tout sur))"
    r"[,:]? (?P<what>(?:[^.!?]|\.(?=\w)){3,})[.!]*$"
)
_TASK_AFTER = re.compile(
    r"(?i)\b(?:for now|for the moment|right now|today|this"
    r" time|until)\b|,\s*(?:just|let['’]s"
    r"|and)?\s*"
    r"(?:show|fix|do|go|start|take|use|look|make|write|give|begin)\b|\bforget"
    r" (?:it|that|this)\W*$"
)
_FIRST_PERSON = re.compile(r"(?i)\b(?:i|me|my|mine|we|us|our)\b")
AGREED = "OK, I'll keep that in mind for this session."
NOT_TOLD = "I don't know. Nothing that I was sent says so."
_ABOUT_MEMORY = re.compile(
    r"(?i)^(?:so |and |ok(?:ay)?,? )?what (?:do|can) you"
    r" (?:remember|know|recall)"
    r"(?: about (?:me|us|this project|my \w+))?\W*$|^was weißt du (?:noch"
    r" )?über mich\W*$"
    r"|^que sais-tu (?:de|sur) moi\W*$"
)
