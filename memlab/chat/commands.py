"""What can be typed besides words to the agent: ``/memory``, ``/forget`` and
the rest.

Each command is a row of one table, from which the help and the completion are
derived. The harness does the work on the memory, and its journal can undo it.
"""

from __future__ import annotations

import difflib
from collections.abc import Awaitable, Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice

from memlab.chat.card import text_of
from memlab.chat.dreams import ChatDreams
from memlab.chat.screen import Screen, choose, confirm
from memlab.chat.views import (
    cost_lines,
    memory_lines,
    mode_lines,
    recall_lines,
)
from memlab.errors import MemlabError
from memlab.harness import Harness
from memlab.ledger import Call, Ledger
from memlab.memdir.daily_log import find_log_lines, is_below_logs
from memlab.memdir.dates import age_in_words
from memlab.memdir.journal import LOG
from memlab.memdir.memory import format_memory
from memlab.memdir.places import INDEX
from memlab.memdir.scan import MemoryHeader, scan_memory_files
from memlab.models.connect import choose_model
from memlab.modes.mode import NAMES
from memlab.recall import keyword
from memlab.text import persons_text

FOR_GOOD = "--for-good"
ALL = "all"
NOTHING = "Nothing in memory matches that."
ALL_FILES = 1_000_000
FOUND = 5
"""How many memories a search shows."""
_MODES = {toggle.replace("_", "-"): toggle for toggle in NAMES}


class Leave(Exception):
    """The person wants to go."""


@dataclass(frozen=True)
class Command:
    """One row: what is typed after the name, what it does, and what Tab offers
    there.
    """

    name: str
    arguments: str
    help: str
    run: Callable[[str], Awaitable[None]]
    offers: Callable[[], Iterable[str]] = tuple


class Commands:
    """The commands of one conversation."""

    def __init__(
        self,
        harness: Harness,
        calls: Iterable[Call],
        screen: Screen,
        dreams: ChatDreams,
        new: Collection[str],
    ) -> None:
        self._harness, self._calls = harness, calls
        self._screen, self._dreams = screen, dreams
        self._new = new
        table = (
            Command(
                "memory",
                "[FILE | confirm FILE | promote FILE | demote FILE | on"
                " | read-only | off | ignore]",
                "show what is remembered, make a memory personal, or switch"
                " memory",
                self._memory,
                lambda: (
                    "confirm",
                    "promote",
                    "demote",
                    "on",
                    "read-only",
                    "off",
                    "ignore",
                    *self._files(),
                ),
            ),
            Command(
                "modes",
                "[MODE on | MODE off]",
                "show the further ways to remember, or switch one",
                self._modes,
                lambda: (*_MODES, "on", "off"),
            ),
            Command(
                "why",
                "FILE",
                "show where each sentence of a memory came from",
                self._why,
                self._files,
            ),
            Command(
                "recall",
                f"[{ALL}]",
                "show what the latest recall chose, and why",
                self._recall,
                lambda: (ALL,),
            ),
            Command(
                "forget",
                f"WORDS | {FOR_GOOD} FILE",
                "find a memory and forget it",
                self._forget,
                lambda: (FOR_GOOD, *self._files()),
            ),
            Command(
                "undo",
                "[CHANGE | FILE]",
                "undo the latest change to memory, CHANGE, or the latest of"
                " FILE",
                self._undo,
                lambda: (
                    *(entry.id for entry in self._harness.store.history()),
                    *(one.filename for one in self._harness.personal.listed()),
                ),
            ),
            Command("cost", "", "show the tokens of this chat", self._cost),
            Command(
                "dream-off",
                "",
                "start no dreams automatically in this session",
                self._dream_off,
            ),
            Command(
                "dream",
                "[status | stop | receipt | diff | accept | reject]",
                "tidy up memory, or decide on a dream",
                self._dreams.command,
                self._dreams.offers,
            ),
            Command(
                "review",
                "[diff | accept | reject] [NUMBER | FILE …]",
                "show what was held back for you, and decide on it",
                self._dreams.review,
                lambda: ("diff", "accept", "reject"),
            ),
            Command("help", "", "this list", self._help),
            Command("quit", "", "leave the chat", self._quit),
        )
        self._table = {command.name: command for command in table}

    async def run(self, line: str) -> None:
        """Run a line that begins with a slash; raises Leave for ``/quit``.

        What goes wrong is shown in one line.
        """
        name, _, rest = line.strip().removeprefix("/").partition(" ")
        if name not in self._table:
            near = difflib.get_close_matches(name, self._table, 1)
            meant = f" Did you mean /{near[0]}?" if near else ""
            self._screen.show(
                f"There is no command /{name}.{meant} /help lists the"
                " commands."
            )
            return
        try:
            await self._table[name].run(rest.strip())
        except (MemlabError, OSError) as error:
            self._screen.error(str(error))

    def _show(self, lines: Iterable[str]) -> None:
        self._screen.show("\n".join(lines))

    def complete(self, before: str) -> list[str]:
        """Return what can continue the last word of a line: commands, then
        what a command offers.
        """
        command, space, rest = before.partition(" ")
        if not command.startswith("/"):
            return []
        if not space:
            return [
                f"/{name} "
                for name in self._table
                if f"/{name}".startswith(command)
            ]
        name = command.removeprefix("/")
        if name not in self._table:
            return []
        word = rest.rpartition(" ")[2]
        with suppress(MemlabError, OSError):
            return [
                offer
                for offer in self._table[name].offers()
                if offer.startswith(word)
            ]
        return []

    async def _help(self, rest: str) -> None:
        lines = ["Type a message to the agent, or one of these commands:"]
        for command in self._table.values():
            lines.append(f"  /{command.name} {command.arguments}".rstrip())
            lines.append(f"      {command.help}")
        lines.append(
            "In plain words: “remember that …”, “forget …”, “ignore memory”."
        )
        self._show([*lines, *self._screen.help])

    async def _memory(self, rest: str) -> None:
        modes = {"on": "full", "full": "full", "off": "off"}
        modes |= dict.fromkeys(
            ("read-only", "recall-only", "recall_only"), "recall_only"
        )
        if rest in modes:
            self._harness.switch(modes[rest])
            state = {"full": "on", "recall_only": "read-only", "off": "off"}[
                modes[rest]
            ]
            self._screen.show(f"From your next message on, memory is {state}.")
        elif rest == "ignore":
            self._harness.ignore_memory()
        elif rest.startswith("confirm "):
            self._harness.confirm(rest.removeprefix("confirm ").strip())
        elif rest.startswith("promote "):
            await self._promote(rest.removeprefix("promote ").strip())
        elif rest.startswith("demote "):
            await self._demote(rest.removeprefix("demote ").strip())
        elif rest:
            found = self._find(rest)
            self._screen.show(text_of(found[0]) if found else NOTHING)
        else:
            self._show(memory_lines(self._harness, self._new))

    async def _promote(self, text: str) -> None:
        """Make a memory of the project personal, after a yes to what it
        says.
        """
        file = self._file_meant(text)
        self._harness.personal.check_promotion(file)
        where = self._harness.context.show(self._harness.personal.folder)
        question = (
            f"Move {file} to {where}? It will hold in every project. A rule"
            " that was learned in one project may be wrong in another."
        )
        await self._move(file, question, self._harness.promote)

    async def _demote(self, text: str) -> None:
        """Move a personal memory into this project, after a yes."""
        file = self._file_meant(text)
        where = self._harness.context.show(self._harness.memory)
        question = (
            f"Move {file} to {where}? It will no longer hold in other"
            " projects."
        )
        await self._move(file, question, self._harness.demote)

    async def _move(
        self, file: str, question: str, move: Callable[[str], str]
    ) -> None:
        store, name = self._harness.store_of(file)
        self._screen.show(format_memory(store.read(name)))
        if await confirm(self._screen, question):
            move(file)
        else:
            self._screen.show("Nothing was moved.")

    async def _modes(self, rest: str) -> None:
        if not rest:
            self._show(mode_lines(self._harness))
            return
        *words, state = rest.lower().replace("-", " ").split()
        name = "-".join(words)
        short = name.removesuffix("-memory")
        toggle = _MODES.get(name) or _MODES.get(short)
        if toggle is None or state not in ("on", "off"):
            self._screen.show(
                "Say which mode, and on or off, as in: /modes"
                f" {next(iter(_MODES))} on. The modes are:"
                f" {', '.join(_MODES)}"
            )
            return
        named = NAMES[toggle].capitalize()
        if getattr(self._harness.toggles, toggle) == (state == "on"):
            self._screen.show(f"{named} is {state} already.")
            return
        rebuilt = self._harness.switch_mode(toggle, state == "on")
        said = f"{named} is {state}, until you leave this chat."
        if rebuilt:
            said += (
                " The system prompt has changed, so the next request cannot"
                " use the cache: it pays once for the whole conversation."
            )
        if state == "on" and self._harness.mode == "off":
            said += " It has no effect while memory is off: /memory on"
        self._screen.show(said)

    async def _recall(self, rest: str) -> None:
        self._show(recall_lines(self._harness, everything=rest == ALL))

    async def _forget(self, rest: str) -> None:
        for_good, text = (
            rest.startswith(FOR_GOOD),
            rest.removeprefix(FOR_GOOD).strip(),
        )
        found = self._find(text) if text else []
        if not text:
            self._screen.show(
                f"Say what to forget: /forget WORDS, or /forget {FOR_GOOD}"
                " FILE"
            )
        elif for_good and (
            file := self._one_file(text, [header.filename for header in found])
        ):
            await self._erase(file)
        elif not found:
            if not self._show_log_lines(text):
                self._screen.show(NOTHING)
        else:
            for number, header in enumerate(found, 1):
                self._screen.show(
                    f"  {number}  {header.filename}: {header.description}"
                )
            self._show_log_lines(text)
            if for_good:
                self._screen.show(f"Name one of them: /forget {FOR_GOOD} FILE")
                return
            which = await self._which(found)
            for header in which:
                self._harness.forget(header.filename)
            if not which:
                self._screen.show("Nothing was forgotten.")

    def _show_log_lines(self, text: str) -> bool:
        """Show the lines of the daily logs that match, and say whether there
        are any.
        """
        found = find_log_lines(self._harness.memory, text)
        lines = list(islice(found, FOUND))
        for place, line in lines:
            self._screen.show(f"  {place}: {line}")
        if lines:
            self._screen.show(
                "A log keeps its lines. To erase the whole log for good:"
                f" /forget {FOR_GOOD} FILE"
            )
        return bool(lines)

    async def _which(self, found: list[MemoryHeader]) -> list[MemoryHeader]:
        """Let the person choose among some memories, or confirm the only
        one.
        """
        if len(found) == 1:
            question = f"Forget {found[0].filename}?"
            sure = await confirm(self._screen, question)
            return found if sure else []
        chosen = await choose(self._screen, len(found))
        return [found[number - 1] for number in chosen or ()]

    def _one_file(self, text: str, found: list[str]) -> str:
        """Return the one file that is meant, be it gone already; "" where that
        is not clear.
        """
        if is_below_logs(text):
            return text
        store, name = self._harness.store_of(text)
        had = {
            change.file
            for entry in store.history()
            for change in entry.changes
        }
        return text if name in had else found[0] if len(found) == 1 else ""

    async def _erase(self, file: str) -> None:
        question = (
            f"Erase {file}, its name and every copy of it in the history? This"
            " cannot be undone. Other files that contain its words are"
            " listed, but not changed."
        )
        if await confirm(self._screen, question):
            self._screen.show(
                "Erasing it, and searching everything that memlab keeps for"
                " its words …"
            )
            self._harness.forget(file, for_good=True)
        else:
            self._screen.show("Nothing was erased.")

    async def _why(self, rest: str) -> None:
        if not rest:
            self._screen.show("Name a memory: /why FILE")
        else:
            self._screen.show(self._harness.why(rest))

    async def _undo(self, rest: str) -> None:
        named = rest.split()
        if len(named) > 1:
            self._screen.show("Name one change: /undo CHANGE")
        elif not named and not self._harness.store.history():
            self._screen.show(
                "Nothing has changed yet, so there is nothing to undo."
            )
        elif named or await self._may_undo():
            self._harness.undo("".join(named))
        else:
            self._screen.show("Nothing was taken back.")

    async def _may_undo(self) -> bool:
        """Ask before an undo takes back something older than the person may
        think.
        """
        older = beyond_turn(self._harness)
        return not older or await confirm(
            self._screen,
            f"This is not from your last message: {older}. Take it back?",
        )

    async def _cost(self, rest: str) -> None:
        costs = choose_model().costs_money()
        calls = Ledger(self._harness.runtime.settings)
        for call in self._calls:
            calls.record(call)
        self._show(cost_lines(calls, in_dollars=costs))

    async def _dream_off(self, rest: str) -> None:
        self._harness.toggles = replace(
            self._harness.toggles, auto_dream=False
        )
        self._screen.show(
            "No dream will start automatically in this session. /dream starts"
            " one."
        )

    async def _quit(self, rest: str) -> None:
        raise Leave

    def _files(self) -> list[str]:
        """Name the memories that completion offers: not more than a scan
        lists, because it has to be quick.
        """
        scan = scan_memory_files(
            self._harness.memory, self._harness.runtime.settings
        )
        memories = [*scan, *self._harness.personal.listed()]
        return [memory.filename for memory in memories]

    def _memories(self) -> list[MemoryHeader]:
        """List all memories of the project, then the personal ones, also
        those that do not count here.
        """
        settings = self._harness.runtime.settings
        every = settings.with_changes(scan_max_files=ALL_FILES)
        memories = scan_memory_files(self._harness.memory, every)
        return [*memories, *self._harness.personal.listed()]

    def _named(self, text: str) -> MemoryHeader | None:
        """Find the memory that is called so, by its file or its name."""
        asked = text.strip().casefold()
        for memory in self._memories():
            names = (
                memory.filename,
                memory.filename.removesuffix(".md"),
                memory.name,
            )
            if asked in map(str.casefold, names):
                return memory
        return None

    def _file_meant(self, text: str) -> str:
        """Give the file of the only memory that a search finds, else the text
        as it is.
        """
        found = self._find(text)
        return found[0].filename if len(found) == 1 else text

    def _find(self, text: str) -> list[MemoryHeader]:
        """Find memories by file or name, else by words, best first; words in a
        body count, too.
        """
        named = self._named(text)
        if named:
            return [named]
        memories = self._memories()
        asked = text.strip().casefold()
        ranked = list(keyword.keyword_rank(text, memories, FOUND))
        in_body = [
            memory
            for memory in memories
            if memory not in ranked and asked in _body(memory).casefold()
        ]
        return (ranked + in_body)[:FOUND]


def _body(memory: MemoryHeader) -> str:
    with suppress(OSError, MemlabError):
        return (memory.read().data or b"").decode("utf-8", "replace")
    return ""


def beyond_turn(harness: Harness) -> str:
    """Say what the next undo would take back if that is not from the last
    turn; "" if it is, or if it is the newest change.

    It is not the newest after an undo, nor after a line of a daily log, which
    cannot be taken back.
    """
    history, entry = harness.store.history(), harness.store.next_to_undo()
    if entry is None:
        return ""
    if not history[-1].undoes and history[-1].what != LOG:
        return ""
    pairs = zip(harness.agent.uuids, harness.agent.messages, strict=True)
    turns = [uuid for uuid, message in pairs if persons_text(message)]
    if (entry.session, [entry.turn]) == (harness.session, turns[-1:]):
        return ""
    files = [one.file for one in entry.changes if one.file != INDEX]
    moment = datetime.fromisoformat(entry.at)
    age = age_in_words(moment, harness.runtime.clock.now())
    named = f"{entry.id} ({entry.what} by {entry.who}, {age})"
    return f"{named}: {', '.join(files) or INDEX}"
