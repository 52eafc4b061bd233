"""What the stand-in can do in a chat without a script: greet, say what it
knows about the person, and list the project's files.

For everything else it says once what can be tried. Afterwards it only says
whether there was something to remember.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from memlab.errors import MemlabError
from memlab.evidence.requests import asks_to_ignore_memory
from memlab.memdir.memory import MemoryType, parse_memory
from memlab.memdir.places import INDEX
from memlab.memdir.secrets import find_secrets
from memlab.models.standin.requests import Task
from memlab.models.standin.statements import (
    gives_secret_to_remember,
    new_memories,
)
from memlab.models.standin.tools import (
    answer_with,
    call_tools,
    first_paragraph,
    read_step,
)
from memlab.models.wire import Reply
from memlab.text import as_blocks, block_text, persons_text, shorten

TRY = (
    "Offline, rules answer and understand only a few things: try “Remember"
    " that …”, “I prefer …”, “Forget …”, “What do you know about me?” or"
    " “What files are in this project?”."
)
NOTHING = "Nothing to remember here."
NOTHING_RECALLED = "No memory was recalled for this question."
SAVES = "I'll save that."
NO_SECRETS = "I keep no secrets in memory."
NOT_SAVED = "Not saved: it looks like a secret."
MEMORY_OFF = "Memory is off: nothing is saved."
NOTHING_KNOWN = "Nothing yet. Tell me something about you or your work."
GREETING = (
    "Hello! I remember what you tell me about you and your work, also in your"
    " next session."
)
MOST_FILES = 20
MOST_MEMORIES = 30

# which day it is makes no difference here
_SOME_DAY = datetime(2026, 1, 1, tzinfo=UTC)
_GREETS = re.compile(
    r"(?i)^(?:hi|hey|hello|hallo|moin|servus|bonjour|salut|howdy|greetings"
    r"|good (?:morning|afternoon|evening|day)|guten (?:morgen|tag|abend))"
    r"(?:[ ,]+(?:there|again|agent|memlab|you|all|everyone))*\W*$"
)
_ABOUT_ME = re.compile(
    r"(?i)^(?:so |and |ok(?:ay)?,? |hey,? |please )*"
    r"(?:what (?:do|can) you (?:still )?(?:remember|know|recall)"
    r"|what have you (?:remembered|saved|learned)"
    r"|(?:tell me |show me )?what you (?:know|remember)"
    r"|do you (?:know|remember) (?:anything|something))"
    r"(?: (?:about|of) (?:me|us|this project|my \w+))?(?: so far)?\W*$"
    r"|^(?:do you know )?who am i\W*$"
    r"|^was weißt du (?:noch )?über mich\W*$|^que sais-tu (?:de|sur) moi\W*$"
)
_FILES = re.compile(
    r"(?i)^(?:so |and |ok(?:ay)?,? |hey,? |please )*(?:(?:can|could) you )?"
    r"(?:(?:what|which) (?:files|documents)\b(?! (?:did|do|have|should|must))"
    r"|(?:list|show)(?: me)?(?: all)?(?: the| my)? (?:project(?:['’]s)? )?"
    r"files\b|what(?:['’]s| is) in (?:this|the|my) (?:project|folder|directory)"
    r")[^.!]{0,50}\W*$"
)


def reply_in_chat(task: Task) -> Reply | None:
    """Answer what a person in a chat tries first; None for anything else."""
    said = task.request.said
    if _GREETS.search(said):
        return answer_with(GREETING)
    if _FILES.search(said):
        return _list_files(task)
    if _ABOUT_ME.search(said) and task.directory:
        return _say_what_is_known(task)
    return None


def plain_reply_in_chat(task: Task) -> str:
    """Say what can be tried, once, and else whether there is something to
    remember.
    """
    words = next(
        filter(None, map(persons_text, reversed(task.request.messages))), ""
    )
    if not task.directory:
        return MEMORY_OFF
    saves = not asks_to_ignore_memory(words)
    if saves and find_secrets(words):
        return NO_SECRETS
    if saves and gives_secret_to_remember(words):
        return NOT_SAVED
    if saves and any(new_memories(words, _SOME_DAY, ())):
        return SAVES
    if not was_said(task, TRY):
        return TRY
    return NOTHING_RECALLED if words.rstrip().endswith("?") else NOTHING


def was_said(task: Task, text: str) -> bool:
    """Tell whether the stand-in has said something earlier in the
    conversation.
    """
    earlier = [
        one
        for message in task.request.messages
        for one in as_blocks(message["content"])
    ]
    return any(text in block_text(one) for one in earlier)


def _list_files(task: Task) -> Reply:
    """List the project's files, and answer with what came back."""
    if not task.steps:
        return call_tools(task, [("Glob", {"pattern": "**/*"})])
    listing = task.steps[-1]
    files = sorted(filter(None, listing.result.splitlines()))
    if listing.failed:
        return answer_with(f"I could not list the files: {listing.result}")
    if files == ["No files."]:
        return answer_with("There are no files in this project yet.")
    lines = [f"- {file}" for file in files[:MOST_FILES]]
    if len(files) > MOST_FILES:
        lines.append(f"- and {len(files) - MOST_FILES} more")
    return answer_with("These files are in the project:\n" + "\n".join(lines))


def _say_what_is_known(task: Task) -> Reply:
    """Read the memories as they are now, and answer with their text, those
    about the person first.
    """
    if not task.steps:
        given = {"pattern": "*.md", "path": task.directory}
        return call_tools(task, [("Glob", given)])
    named = re.findall(r"(?m)([\w.-]+\.md)$", task.steps[0].result)
    files = [file for file in dict.fromkeys(named) if file != INDEX]
    step = read_step(task, files[:MOST_MEMORIES])
    if step is not None:
        return step
    known = sorted(_known(task), key=lambda one: not one[0])
    if not known:
        return answer_with(NOTHING_KNOWN)
    lines = [line for _, line in known]
    if len(files) > MOST_MEMORIES:
        lines.append(f"- and {len(files) - MOST_MEMORIES} more memories")
    return answer_with("From your memories:\n" + "\n".join(lines))


def _known(task: Task) -> Iterator[tuple[bool, str]]:
    """Give each memory that was read as a line, and whether it is about the
    person; one that was dropped has no text.
    """
    for file, text in task.files.items():
        try:
            memory = parse_memory(text)
        except MemlabError:
            continue
        body = shorten(first_paragraph(memory.body), 300)
        if body:
            about = memory.type is MemoryType.user
            yield about, f"- {body} ({file})"
