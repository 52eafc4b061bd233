"""What a chat does with a line: words go to the agent, and what begins with a
slash is a command.

The terminal and the notebook's chat are both a ``Talk``, which says how
something is shown and how the person is asked. ``COMMANDS`` is the table of
commands; ``/help`` shows each with its function's docstring. The harness does
the work on memory, and its journal can undo it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from itertools import islice

from memlab.agent.tool import ToolOutcome
from memlab.dream.dream import DreamTask, what_happened
from memlab.dream.plan import counted
from memlab.errors import MemlabError
from memlab.harness import Harness, HarnessObserver, Said
from memlab.ledger import Ledger
from memlab.memdir.daily_log import find_log_lines
from memlab.memdir.dates import age_in_words
from memlab.memdir.erase import to_be_erased
from memlab.memdir.index import named
from memlab.memdir.scan import MemoryHeader, one_line, scan_memory_files
from memlab.models.connect import ModelChoice
from memlab.models.meter import price_table
from memlab.text import shorten

FOUND = 5  # how many memories a search shows
SHOWN = 20  # and how many a recall
FOR_GOOD = "--for-good"
SWITCHES = {"on": "full", "read-only": "recall_only", "off": "off"}
STATES = {mode: f"memory {word}" for word, mode in SWITCHES.items()}
COMMAND = re.compile(r"/([\w-]*)(?: (.*))?")
CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
)


class Leave(Exception):
    """The person wants to go."""


class Talk(HarnessObserver):
    """A conversation with an agent; a subclass shows it and asks the person.

    ``choice`` says who answers, and ``ledger`` gets the calls to the model.
    The commands run on the agent's loop, and so do ``show`` and ``ask``.
    """

    harness: Harness
    dream: asyncio.Task[DreamTask] | None = None

    def __init__(self, choice: ModelChoice, ledger: Ledger) -> None:
        self.choice, self.ledger = choice, ledger

    def show(self, text: str) -> None:
        """Show some lines."""
        raise NotImplementedError

    async def ask(self, question: str) -> bool:
        """Put a yes-or-no question to the person."""
        raise NotImplementedError

    async def take(self, line: str) -> None:
        """Run a command, or pass words to the agent; what goes wrong is shown.

        Raises Leave where the person wants to go.
        """
        command = COMMAND.fullmatch(line)
        try:
            if command is None:
                await self.say(line)
            elif command[1] in COMMANDS:
                run = COMMANDS[command[1]][1]
                await run(self, (command[2] or "").strip())
            else:
                self.show(f"There is no command /{command[1]}. See /help.")
        except (MemlabError, OSError) as error:
            self.show(str(error))

    async def say(self, words: str) -> Said:
        """Have words answered; show below the answer who gave it, and what was
        recalled for it.
        """
        said = await self.harness.say(words)
        if said.error:
            self.show(said.error)
        source = f"({said.turn.source}) " if said.turn.source else ""
        recalled = named(said.recalled) or "nothing"
        self.show(f"{source}recalled: {recalled}")
        return said

    def on_notice(self, notice: str) -> None:
        """Show a notice, of what was saved for example, at any time."""
        self.show(f"• {notice}")

    def on_tool(self, outcome: ToolOutcome) -> None:
        """Show what the agent's tools do; forks work unseen."""
        what = f"[{outcome.tool} {outcome.status}] {outcome.reason}"
        self.show(what.rstrip())


async def memory(talk: Talk, rest: str) -> None:
    """list what is remembered, show a memory, move one, or switch memory"""
    harness, (word, _, file) = talk.harness, rest.partition(" ")
    if not rest:
        talk.show(memory_list(harness))
    elif rest in SWITCHES:
        harness.switch(SWITCHES[rest])
        talk.show(f"From your next message on, memory is {rest}.")
    elif word == "confirm":
        harness.confirm(file.strip())
    elif word in ("promote", "demote"):
        found = find_one(talk, file)
        about = "A personal memory holds in every project."
        if found and await talk.ask(
            f"{text_of(found)}\n\n{word} {found.filename}? {about}"
        ):
            move = harness.promote if word == "promote" else harness.demote
            move(found.filename)
    elif found := find_one(talk, rest):
        talk.show(f"{text_of(found)}\n({found.path})")


async def why(talk: Talk, rest: str) -> None:
    """show where each sentence of a memory came from"""
    talk.show(talk.harness.why(rest) if rest else "Name a memory: /why FILE")


async def recall(talk: Talk, rest: str) -> None:
    """show what the latest recall chose, and why"""
    report = talk.harness.recall_report
    if report is None:
        talk.show("Nothing has been recalled.")
        return
    by = f"by {report.selection.chosen_by} {report.candidates}".rstrip()
    head = f"“{shorten(report.query, 60)}”: chosen {by}"
    talk.show(f"{head}\n{columns(report.rows()[:SHOWN])}")


async def forget(talk: Talk, rest: str) -> None:
    """remove a memory, or erase every copy of it"""
    asked = rest.removeprefix(FOR_GOOD).strip()
    if not asked:
        talk.show(f"Say what to forget: /forget WORDS, or {FOR_GOOD} FILE")
    elif asked != rest:
        to_be_erased(*talk.harness.store_of(asked))  # a typing error ends here
        question = (
            f"Erase {asked} and every copy of it? This cannot be undone."
        )
        if await talk.ask(question):
            talk.harness.forget(asked, for_good=True)
    else:
        found = find_one(talk, asked)
        if found and await talk.ask(
            f"{text_of(found)}\n\nForget {found.filename}?"
        ):
            talk.harness.forget(found.filename)
        for place, line in islice(
            find_log_lines(talk.harness.memory, asked), FOUND
        ):
            talk.show(f"A log has it, too, and keeps it: {place}: {line}")


async def undo(talk: Talk, rest: str) -> None:
    """take back the latest change to memory, CHANGE, or the latest of FILE"""
    talk.harness.undo(rest)


async def review(talk: Talk, rest: str) -> None:
    """show the sentences and the dream's changes that wait for you, or decide"""
    harness, waiting = talk.harness, talk.harness.dreams.waiting
    store, session = harness.store, harness.session
    word, *chosen = rest.split() or [""]
    held = [one for one in store.waiting() if not one.closes_gate]
    numbered = {str(number): one for number, one in enumerate(held, 1)}
    sentences = [numbered[n] for n in numbered if n in chosen or not chosen]
    changed = [one.file for one in waiting.look()]
    files = [file for file in changed if file in chosen or not chosen]
    if word == "accept" and (sentences or files):
        if sentences:
            store.accept(sentences, who="user", session=session)
        if files:
            # what is not accepted of a dream is dropped
            done = waiting.accept(files, who="dream", session=session)
            talk.show(f"The dream {what_happened(done)}.")
        talk.show("Accepted.")
    elif word == "reject" and (sentences or files):
        store.drop(sentences)
        if files:
            waiting.reject()
        talk.show("Dropped. The memory is as it was.")
    else:
        lines = [f"{number}  {one.line}" for number, one in numbered.items()]
        lines += [str(waiting.receipt())] if changed else []
        talk.show("\n".join(lines) or "Nothing waits for you.")


async def dream(talk: Talk, rest: str) -> None:
    """tidy up memory beside the conversation, say how far it is, or stop it"""
    dreams, word = talk.harness.dreams, rest.partition(" ")[0]
    task = dreams.task
    if word == "stop":
        if not dreams.stop():
            talk.show("No dream is running.")
    elif word in ("accept", "reject") or dreams.waiting.there:
        await review(talk, rest)
    elif task and (word or task.pill):
        files = ", ".join(task.files_touched) or "none"
        said = shorten(task.notice or task.last_text, 300)
        state = f"{task.phase}: {said}\nfiles touched: {files}"
        talk.show(str(task.receipt) if word == "receipt" else state)
    elif word:
        talk.show("No dream in this session.")
    else:
        talk.dream = asyncio.create_task(talk.harness.dream_now())
        await asyncio.wait([talk.dream], timeout=0.1)
        if talk.dream.done():  # at once, and perhaps because it may not begin
            talk.dream.result()
        else:
            talk.show("Dreaming. Go on; /dream says how far it is.")


async def cost(talk: Talk, rest: str) -> None:
    """say who answers, and show the tokens of this chat"""
    talk.show(talk.choice.in_words(talk.harness.runtime.settings))
    ledger = talk.ledger
    rows = [
        ["purpose", "calls", "uncached", "written", "read", "out", "hit %"]
    ]
    for name, sums in {**ledger.by_purpose(), "total": ledger.total()}.items():
        tokens = [f"{count:,}" for count in sums.by_kind().values()]
        rows.append([name, f"{sums.calls}", *tokens, f"{sums.hit_percent}"])
    talk.show(columns(rows))
    dollars, prices = price_table().dollars(ledger), price_table().as_of
    if talk.choice.costs_money() and dollars is not None:
        talk.show(f"US$ {dollars:.4f}, at the prices of {prices}")


async def help(talk: Talk, rest: str) -> None:
    """list the commands"""
    for name, (arguments, run) in COMMANDS.items():
        talk.show(f"/{name} {arguments}".rstrip() + f"\n    {run.__doc__}")
    talk.show(
        "Anything else goes to the agent: “remember that …”, “forget …”."
    )


async def exit(talk: Talk, rest: str) -> None:
    """leave the chat"""
    raise Leave


Run = Callable[[Talk, str], Awaitable[None]]
# Each command with what can follow it.
COMMANDS: dict[str, tuple[str, Run]] = {
    "memory": (
        "[WORDS | on | read-only | off | confirm|promote|demote FILE]",
        memory,
    ),
    "why": ("FILE", why),
    "recall": ("", recall),
    "forget": (f"WORDS | {FOR_GOOD} FILE", forget),
    "undo": ("[CHANGE | FILE]", undo),
    "review": ("[accept | reject] [NUMBER | FILE ...]", review),
    "dream": ("[stop]", dream),
    "cost": ("", cost),
    "help": ("", help),
    "exit": ("", exit),
}


def memory_list(harness: Harness) -> str:
    """List the memories, newest first, below a line that says where they
    are.
    """
    now, memories = harness.runtime.clock.now(), all_memories(harness)
    count = counted(len(memories), "memory", "memories")
    where, state = harness.context.show(harness.memory), STATES[harness.mode]
    rows = [
        (
            one.filename,
            age_in_words(one.mtime, now),
            shorten(one.description, 70),
        )
        for one in memories
    ]
    return f"{count} in {where} ({state})\n{columns(rows)}".rstrip()


def all_memories(harness: Harness) -> list[MemoryHeader]:
    """List the memories of the project, the newest first, however many there
    are, and then the personal ones.
    """
    every = harness.runtime.settings.with_changes(scan_max_files=1_000_000)
    scan = scan_memory_files(harness.memory, every)
    return [*scan, *harness.personal.listed()]


def find_one(talk: Talk, asked: str) -> MemoryHeader | None:
    """Find the memory with this file name, or else the only one that has all
    these words; without one, show what there is.
    """
    words, found = asked.casefold().split(), []
    for one in all_memories(talk.harness):
        if one.filename == asked.strip():
            return one
        text = f"{one.filename}\n{text_of(one)}".casefold()
        if all(word in text for word in words):
            found.append(one)
    if len(found) == 1:
        return found[0]
    lines = [f"{one.filename}: {one_line(one.description)}" for one in found]
    head = (
        "Which one? Name its file:" if found else "No memory has these words."
    )
    talk.show("\n".join([head, *lines[:FOUND]]))
    return None


def text_of(memory: MemoryHeader) -> str:
    """Return the text of a memory; raises OSError."""
    return (memory.read().data or b"").decode("utf-8", "replace").rstrip()


def plain(text: str) -> str:
    """Give a text without what could steer a terminal; lines and tabs stay."""
    return CONTROL.sub("", text)


def columns(rows: Iterable[Sequence[str]]) -> str:
    """Set rows in columns, a line each."""
    cells = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)) for row in cells]
    return "\n".join(line.rstrip() for line in lines)
