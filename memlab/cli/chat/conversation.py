"""Talk to an agent that remembers, in a terminal, or answer one message.

By default, rules answer instead of a model (offline), so you can try everything without a key.
To use a model:
  MEMLAB_MODEL=live ANTHROPIC_API_KEY=…        the service's own models
  MEMLAB_MODEL=live ANTHROPIC_BASE_URL=http://localhost:11434 MEMLAB_MAIN_MODEL=NAME
                                               any server with the Messages API, and a model it
                                               has. On your own machine it needs no key. The port
                                               is 11434 for Ollama, 8080 for llama.cpp
                                               (llama-server), 1234 for LM Studio, 8000 for vLLM
  MEMLAB_MODEL=record MEMLAB_TAPE=FILE         ask a model and record its answers
  MEMLAB_MODEL=replay MEMLAB_TAPE=FILE         give the recorded answers again, until the first
                                               memory is saved: what is asked after that names
                                               the time of saving, which the tape does not have

Memory is kept in ~/.memlab (or MEMLAB_HOME), in one directory per project. It
is plain Markdown.

Four further ways to remember are off until you switch them on: session memory, team memory,
personal memory and the daily log. In the chat, /modes lists and switches them. To keep one on, set
its variable (MEMLAB_PERSONAL=on), or write {"personal": true} into ~/.memlab/settings.json. The
other three switches are session_memory, team and daily_log.

examples:
  python3 -m memlab chat                     talk about the project in this folder
  python3 -m memlab chat --project DIR       talk about another project
  python3 -m memlab chat --resume ID         continue a session
  python3 -m memlab chat --ask               ask before anything is saved to memory
  python3 -m memlab chat --print "…"         answer one message, for scripts

With --print, the answer goes to standard output. What was recalled and saved goes to standard
error. Nobody can be asked, so what needs a yes is refused, and no dream starts.
exit status of --print: 0 it was answered, 1 the answer or saving failed, 2 it could not be started
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from memlab.chat.commands import Leave
from memlab.chat.talk import Talk
from memlab.chat.views import active_mode_names, status_line
from memlab.cli.chat.completion import project_files
from memlab.cli.chat.one_turn import OneTurn
from memlab.cli.chat.shell import Shell
from memlab.cli.chat.style import can_edit
from memlab.cli.chat.terminal import Terminal
from memlab.cli.commands import project_parser
from memlab.errors import MemlabError, TapeMiss
from memlab.harness import Harness, HarnessOptions
from memlab.ledger import Ledger
from memlab.memdir.places import memory_paths
from memlab.memdir.scan import one_line
from memlab.memdir.toggles import load_settings
from memlab.models.connect import choose_model, make_runtime
from memlab.text import persons_text

ASK_SECONDS = 3_600.0


def main(argv: Sequence[str] | None = None) -> int:
    """Hold one conversation; returns the exit status."""
    args = _arguments(argv)
    try:
        chat = Chat(args) if args.print is None else OneTurn(args)
    except (MemlabError, OSError) as error:
        print(f"memlab chat: {one_line(str(error))}", file=sys.stderr)
        return 2
    try:
        return chat.run()
    except TapeMiss as miss:
        print(f"memlab chat: {miss}", file=sys.stderr)
        return 1


class Chat:
    """One conversation in a terminal."""

    def __init__(self, args: argparse.Namespace) -> None:
        self._choice = choose_model()
        paths = memory_paths(args.project)
        root = paths.conversations_dir.parent
        person = sys.stdin.isatty()
        self._offline = self._choice.mode == "offline"
        self._settings = self._choice.settings(
            load_settings(paths.project_dir, base=root)
        )
        self._ledger = Ledger(self._settings)
        self._checks_cache = self._choice.asks == "live"
        runtime = make_runtime(
            self._choice, ledger=self._ledger, settings=self._settings
        )
        self._terminal = Terminal(colour=not args.no_color)
        self._talk = Talk(self._terminal, self._ledger)
        self._shell = Shell(args.project)
        options = HarnessOptions(
            runtime=runtime,
            mode=args.memory.replace("-", "_"),
            saving="ask" if args.ask else "tell",
            ask=self._talk.ask if person else None,
            decide=self._talk.dreams.decide if person else None,
            run_shell=self._shell if args.shell else None,
            resume=args.resume,
            observer=self._talk,
        )
        self._harness = Harness(args.project, options)
        self._talk.begin(self._harness)
        if can_edit():
            from memlab.cli.chat.editor import Editor

            self._terminal.input = Editor(
                self._complete,
                root / "chat_history",
                keeps=lambda: self._harness.mode == "full",
                colour=self._terminal.style.colour,
            )

    def _complete(self, before: str) -> list[str]:
        """Complete a command, or a file of the project in a message."""
        if before.startswith("/"):
            return self._talk.commands.complete(before)
        word = before.rpartition(" ")[2]
        return project_files(self._harness.context.project, word)

    def run(self) -> int:
        """Talk until the person leaves."""
        self._greet()
        interrupted = False
        while True:
            try:
                line = self._terminal.read(self._status()).strip()
                interrupted = False
                if line:
                    self._take(line)
            except KeyboardInterrupt:
                if interrupted:
                    break
                interrupted = True
                self._terminal.line(
                    "\nTo leave, press Ctrl-C again or type /quit."
                )
            except TapeMiss as miss:
                self._terminal.line(str(miss), "notice")
            except (EOFError, Leave):
                break
        return self._leave()

    def _greet(self) -> None:
        harness, show = self._harness, self._harness.context.show
        terminal = self._terminal
        terminal.line(
            f"{show(harness.context.project)}, memory in"
            f" {show(harness.memory)}"
        )
        terminal.line(self._choice.in_words(self._settings))
        modes = active_mode_names(harness)
        if modes:
            terminal.line(f"Modes: {', '.join(modes)}. /modes switches them.")
        for problem in harness.toggles.problems:
            terminal.line(f"• {one_line(problem)}", "notice")
        count = sum(
            persons_text(message) is not None
            for message in harness.agent.messages
        )
        if count:
            messages = f"{count} message{'s' * (count != 1)} of yours"
            terminal.line(f"Resumed session {harness.session}: {messages}.")
        terminal.line("/help lists the commands.")

    def _status(self) -> str:
        return status_line(self._harness, offline=self._offline)

    def _take(self, line: str) -> None:
        terminal = self._terminal
        terminal.wait_for(self._talk.take(line), self._stop)
        if self._checks_cache:
            self._check_cache()
        # the person who is asked has to be here
        if self._harness.options.saving == "ask":
            terminal.wait_for(self._harness.drain(ASK_SECONDS), self._stop)

    def _check_cache(self) -> None:
        """Say once, as soon as it is clear, that an endpoint reports nothing
        about its cache.
        """
        main = [
            call
            for call in self._ledger
            if call.purpose == "main" and call.status == "ok"
        ]
        enough = (
            sum(call.uncached for call in main)
            > 2 * self._settings.cache_min_tokens
        )
        if len(main) < 2 or not enough:
            return
        self._checks_cache = False
        if not any(call.read or call.created for call in main):
            self._terminal.line(
                "This endpoint reports no caching figures, so all input counts"
                " as uncached.",
                "aside",
            )

    def _stop(self) -> None:
        self._shell.stop()
        self._terminal.loop.call_soon_threadsafe(self._harness.interrupt)

    def _leave(self) -> int:
        """Wait for what runs in the background, say what was cut off, and how
        to come back.
        """
        try:
            if self._talk.dreams.running:
                self._terminal.wait_for(self._talk.dreams.stop(), self._stop)
            cut = self._terminal.wait_for(self._harness.drain(), self._stop)
            self._terminal.wait_for(
                self._harness.runtime.client.close(), self._stop
            )
        except KeyboardInterrupt:
            cut = ("everything that was running",)
        if cut:
            limit = self._settings.drain_seconds
            self._terminal.line(
                f"Cut off after {limit:g} s: {', '.join(cut)}. No file is left"
                " half-written."
            )
        if self._harness.agent.messages:
            self._terminal.line(
                f"To continue later: --resume {self._harness.session}"
            )
        self._terminal.close()
        return 0


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = _parser()
    args = parser.parse_args(argv)
    asks = args.ask or args.shell
    if args.print is not None and asks:
        parser.error("--print has nobody to ask: leave out --ask and --shell")
    if args.print is None and args.no_wait:
        parser.error("--no-wait needs --print")
    return args


def _parser() -> argparse.ArgumentParser:
    parser = project_parser("chat", __doc__)
    parser.add_argument(
        "--resume", metavar="ID", default="", help="continue a session"
    )
    parser.add_argument(
        "--shell",
        action="store_true",
        help="allow shell commands; you confirm each one",
    )
    parser.add_argument(
        "--ask", action="store_true", help="ask before saving to memory"
    )
    parser.add_argument(
        "--memory",
        choices=("full", "recall-only", "off"),
        default="",
        help=(
            "recall-only reads memory but saves nothing; a resumed session"
            " keeps its setting"
        ),
    )
    parser.add_argument(
        "--no-color",
        action="store_true",
        help="use no colours; the environment variable NO_COLOR does the same",
    )
    parser.add_argument(
        "--print",
        metavar="MESSAGE",
        help=(
            "answer one message and end when memory has been written; -"
            " reads the message from standard input"
        ),
    )
    parser.add_argument(
        "--no-wait",
        action="store_true",
        help=(
            "with --print: do not wait for memory to be written; resuming the"
            " session does that later"
        ),
    )
    return parser
