"""What can be typed besides words to the agent: ``/memory``, ``/forget`` and the rest.

Each command is a method with one line of help. Left out: memory work itself, which the harness
does, and which the journal can take back.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import replace

from memlab.cli.chat.dreaming import Dreaming
from memlab.cli.chat.screen import Screen
from memlab.cli.chat.views import cost_lines, find, memory_lines, memory_text, recall_lines
from memlab.errors import MemlabError
from memlab.harness import Harness
from memlab.ledger import Ledger
from memlab.memdir.store import FORCE

FOR_GOOD = "--for-good"


class Leave(Exception):
    """The person wants to go."""


class Commands:
    """The commands of one conversation."""

    def __init__(
        self, harness: Harness, ledger: Ledger, screen: Screen, dreaming: Dreaming
    ) -> None:
        self._harness, self._ledger = harness, ledger
        self._screen, self._dreaming = screen, dreaming

    def run(self, line: str) -> None:
        """Run a line that begins with a slash; raises Leave for ``/quit``.

        What goes wrong is shown in one line.
        """
        name, _, rest = line.strip().removeprefix("/").partition(" ")
        table = self._table()
        if name not in table:
            near = difflib.get_close_matches(name, table, 1)
            meant = f" Did you mean /{near[0]}?" if near else ""
            self._screen.line(f"There is no command /{name}.{meant} /help lists the commands.")
            return
        try:
            table[name][1](rest.strip())
        except (MemlabError, OSError) as error:
            self._screen.line(str(error))

    def _table(self) -> Mapping[str, tuple[str, Callable[[str], None]]]:
        return {
            "memory": (
                "[FILE | on | read-only | off]  show what is remembered, or switch memory",
                self._memory,
            ),
            "recall": ("show what the latest recall chose, and why", self._recall),
            "forget": (f"WORDS | {FOR_GOOD} FILE  find a memory and forget it", self._forget),
            "undo": (
                f"[CHANGE] [{FORCE}]  undo the latest change to memory, or CHANGE",
                self._undo,
            ),
            "cost": ("show the tokens used, by purpose", self._cost),
            "dream-off": ("start no dreams automatically in this session", self._dream_off),
            "dream": (
                "[status | stop | receipt | accept | reject]  tidy up memory, or decide on a dream",
                self._dreaming.command,
            ),
            "help": ("this list", self._help),
            "quit": ("leave (so do Ctrl-D, and Ctrl-C twice)", self._quit),
        }

    def _help(self, rest: str) -> None:
        self._screen.line("Type a message to the agent, or one of these commands:")
        for name, (told, _) in self._table().items():
            self._screen.line(f"  /{name:10} {told}")
        self._screen.line("In plain words: “remember that …”, “forget …”, “ignore memory”.")
        self._screen.line("Ctrl-C stops the answer, not the program.")

    def _memory(self, rest: str) -> None:
        modes = {"on": "full", "full": "full", "off": "off"}
        modes |= dict.fromkeys(("read-only", "recall-only", "recall_only"), "recall_only")
        if rest in modes:
            self._harness.switch(modes[rest])
            state = {"full": "on", "recall_only": "read-only", "off": "off"}[modes[rest]]
            self._screen.line(f"From your next message on, memory is {state}.")
        elif rest:
            found = find(self._harness, rest)
            self._screen.line(memory_text(found[0]) if found else NOTHING)
        else:
            self._screen.lines(memory_lines(self._harness))

    def _recall(self, rest: str) -> None:
        self._screen.lines(recall_lines(self._harness))

    def _forget(self, rest: str) -> None:
        for_good, text = rest.startswith(FOR_GOOD), rest.removeprefix(FOR_GOOD).strip()
        found = find(self._harness, text) if text else []
        if not text:
            self._screen.line(f"Say what to forget: /forget WORDS, or /forget {FOR_GOOD} FILE")
        elif for_good and (file := self._one_file(text, [one.filename for one in found])):
            self._erase(file)
        elif not found:
            self._screen.line(NOTHING)
        else:
            for number, one in enumerate(found, 1):
                self._screen.line(f"  {number}  {one.filename}: {one.description}")
            if for_good:
                self._screen.line(f"Name one of them: /forget {FOR_GOOD} FILE")
                return
            which = self._screen.choose(len(found))
            for number in which:
                self._harness.forget(found[number - 1].filename)
            if not which:
                self._screen.line("Nothing was forgotten.")

    def _one_file(self, text: str, found: list[str]) -> str:
        """Give the one file that is meant, be it gone already; "" where that is not clear."""
        had = {one.file for entry in self._harness.store.history() for one in entry.changes}
        return text if text in had else found[0] if len(found) == 1 else ""

    def _erase(self, file: str) -> None:
        question = (
            f"Erase {file}, its name and every copy of it in the history? This cannot be undone. "
            "Other files that contain its words are listed, but not changed."
        )
        if self._screen.confirm(question):
            self._screen.line(
                "Erasing it, and searching everything that memlab keeps for its words …"
            )
            self._harness.forget(file, for_good=True)
        else:
            self._screen.line("Nothing was erased.")

    def _undo(self, rest: str) -> None:
        words = rest.split()
        force = FORCE in words
        named = [word for word in words if word != FORCE]
        if len(named) > 1:
            self._screen.line(f"Name one change: /undo CHANGE, or /undo CHANGE {FORCE}")
        elif not named and not self._harness.store.history():
            self._screen.line("Nothing has changed yet, so there is nothing to undo.")
        else:
            self._harness.undo("".join(named), force=force)

    def _cost(self, rest: str) -> None:
        self._screen.lines(cost_lines(self._ledger))

    def _dream_off(self, rest: str) -> None:
        self._harness.toggles = replace(self._harness.toggles, auto_dream=False)
        self._screen.line("No dream will start automatically in this session. /dream starts one.")

    def _quit(self, rest: str) -> None:
        raise Leave


NOTHING = "Nothing in memory matches that."
