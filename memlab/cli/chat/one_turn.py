"""One turn without a terminal, for scripts: ``chat --print MESSAGE``.

The answer goes to standard output. Everything else goes to standard error:
what was recalled and saved, who answered, and how to go on. Nobody is there to
be asked, so what needs a yes is refused, and no dream starts.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import sys

from memlab.chat.views import plain
from memlab.errors import MemlabError
from memlab.events import ExtractionFailed
from memlab.harness import Harness, HarnessObserver, HarnessOptions

WAIT_SECONDS = 600.0
"""How long one turn waits for memory to be written; each call has a shorter
limit of its own.
"""
_COMMAND = re.compile(r"/[a-z][a-z-]*(?= |$)")


class OneTurn(HarnessObserver):
    """One message and its answer.

    Raises MemlabError if there is no message, or if the agent cannot be
    assembled.
    """

    def __init__(self, args: argparse.Namespace) -> None:
        self._message = _message(args.print)
        self._wait = not args.no_wait
        options = HarnessOptions(
            mode=args.memory.replace("-", "_"),
            resume=args.resume,
            environ={**os.environ, "MEMLAB_BARE": "1"},
            observer=self,
        )
        self._harness = Harness(args.project, options)

    def on_notice(self, notice: str) -> None:
        """Show each notice as it comes."""
        _report(notice)

    def run(self) -> int:
        """Print the answer, and wait for memory; gives the exit status, 1 if
        something failed.
        """
        return asyncio.run(self._run())

    async def _run(self) -> int:
        harness = self._harness
        try:
            said = await harness.say(self._message)
            if said.text:
                print(plain(said.text), flush=True)
            if said.error:
                _report(said.error)
            if said.turn.source:
                _report(f"({said.turn.source})")
            if said.recalled:
                _report(f"recalled: {', '.join(said.recalled)}")
            cut_off = await harness.drain(WAIT_SECONDS if self._wait else 0)
        finally:
            await harness.runtime.client.close()
        unsaved = False
        if self._wait:
            failed = harness.runtime.events.of(ExtractionFailed)
            unsaved = bool(cut_off or failed)
        if self._wait and cut_off:
            _report(f"Cut off after {WAIT_SECONDS:g} s: {', '.join(cut_off)}.")
        _report(f"To continue later: --resume {harness.session}")
        return 1 if said.error or unsaved else 0


def _message(given: str) -> str:
    """Read the message, from standard input if it is ``-``."""
    message = (sys.stdin.read() if given == "-" else given).strip()
    if not message:
        raise MemlabError(
            "the message is empty",
            where="--print",
            do="Write the message after it, or - to read standard input",
        )
    command = _COMMAND.match(message)
    if command and "\n" not in message:
        raise MemlabError(
            f"{command[0]} is a command of the chat, not a message",
            where="--print",
            do="Start the chat without --print to use it",
        )
    return message


def _report(text: str) -> None:
    print(plain(text), file=sys.stderr, flush=True)
