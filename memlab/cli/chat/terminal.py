"""Talk to an agent that remembers, in a terminal.

By default, rules answer instead of a model (offline), so you can try everything without a key.
To use a model:
  MEMLAB_MODEL=live ANTHROPIC_API_KEY=…        the service's own models
  MEMLAB_MODEL=live ANTHROPIC_BASE_URL=http://localhost:11434   any server with the Messages API

Memory is kept in ~/.memlab (or MEMLAB_HOME), in one directory per project. It is plain Markdown.

examples:
  python3 -m memlab chat                     talk about the project in this folder
  python3 -m memlab chat --project DIR       talk about another project
  python3 -m memlab chat --resume ID         continue a session
  python3 -m memlab chat --ask               ask before anything is saved to memory
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from memlab.cli.chat.arguments import project_parser
from memlab.cli.chat.commands import Commands, Leave
from memlab.cli.chat.dreaming import Dreaming
from memlab.cli.chat.screen import Screen
from memlab.cli.chat.shell import Shell
from memlab.cli.chat.views import status_line
from memlab.errors import MemlabError
from memlab.events import Event, ToolDenied, ToolEvent, ToolFailed
from memlab.harness import Harness, HarnessObserver, HarnessOptions, Said
from memlab.ledger import Ledger
from memlab.memdir.paths import memory_paths
from memlab.memdir.scan import one_line
from memlab.models.connect import chosen_mode, make_runtime
from memlab.settings import Settings
from memlab.text import shorten

ASK_SECONDS, SOON = 3_600.0, 0.3
OFFLINE = (
    "Offline: rules answer, not a language model. They understand “remember that …” and “forget …”."
)


def main(argv: Sequence[str] | None = None) -> int:
    """Hold one conversation; gives the exit status."""
    args = _parser().parse_args(argv)
    for stream in (sys.stdout, sys.stderr, sys.stdin):
        getattr(stream, "reconfigure", lambda **_: None)(errors="replace")
    try:
        chat = Chat(args)
    except (MemlabError, OSError) as error:
        print(f"memlab chat: {one_line(str(error))}", file=sys.stderr)
        return 2
    return chat.run()


class Chat(HarnessObserver):
    """One conversation in a terminal."""

    def __init__(self, args: argparse.Namespace) -> None:
        mode = chosen_mode()
        self._offline = mode == "offline"
        self._cache_told = self._offline
        self._settings = Settings()
        self._ledger = Ledger(self._settings)
        root = memory_paths(args.project).conversations_dir.parent
        runtime = make_runtime(mode, ledger=self._ledger, settings=self._settings)
        runtime.events.subscribe(self._happened)
        self._screen = Screen(root / "chat_history")
        self._shell = Shell(args.project)
        self._dreaming = Dreaming(self._screen)
        person = sys.stdin.isatty()
        options = HarnessOptions(
            runtime=runtime,
            mode=args.memory.replace("-", "_"),
            saving="ask" if args.ask else "tell",
            ask=self._screen.ask if person else None,
            decide=self._dreaming.decide if person else None,
            run_shell=self._shell if args.shell else None,
            resume=args.resume,
            observer=self,
        )
        self._harness = Harness(args.project, options)
        self._dreaming.harness = self._harness
        self._commands = Commands(self._harness, self._ledger, self._screen, self._dreaming)

    def on_text(self, text: str) -> None:
        """Show a piece of the answer."""
        self._screen.stream(text)

    def on_notice(self, notice: str) -> None:
        """Show a notice, above the line that the person is typing."""
        self._screen.notice(notice)

    def run(self) -> int:
        """Talk until the person leaves."""
        self._greet()
        interrupted = False
        while True:
            try:
                line = self._screen.read(self._status()).strip()
                interrupted = False
                if line.startswith("/"):
                    self._commands.run(line)
                elif line:
                    self._turn(line)
            except KeyboardInterrupt:
                if interrupted:
                    break
                interrupted = True
                self._screen.line("\nTo leave, press Ctrl-C again or type /quit.")
            except (EOFError, Leave):
                break
        return self._leave()

    def _greet(self) -> None:
        harness, show = self._harness, self._harness.context.show
        self._screen.line(f"{show(harness.context.project)}, memory in {show(harness.memory)}")
        live = f"Live: {self._settings.main_model} answers, and you pay for each call."
        self._screen.line(OFFLINE if self._offline else live)
        self._screen.lines(f"• {one_line(problem)}" for problem in harness.toggles.problems)
        if said := [one for one in harness.agent.messages if one["role"] == "user"]:
            self._screen.line(f"Resumed session {harness.session}: {len(said)} messages of yours.")
        self._screen.line("/help lists the commands.")

    def _status(self) -> str:
        return status_line(self._harness, self._ledger, offline=self._offline)

    def _turn(self, text: str) -> None:
        said = self._screen.wait_for(self._harness.say(text), self._stop)
        if said.error:
            self._screen.line(said.error)
        if said.recalled:
            self._screen.line(f"recalled: {', '.join(said.recalled)}", dim=True)
        self._tell_of_the_cache(said)
        if self._harness.options.saving == "ask":  # whoever is asked has to be here
            self._screen.wait_for(self._harness.drain(ASK_SECONDS), self._stop)

    def _tell_of_the_cache(self, said: Said) -> None:
        """Say once if an endpoint keeps no cache, or does not tell of it."""
        main = [call for call in self._ledger if call.purpose == "main" and call.status == "ok"]
        enough = sum(call.uncached for call in main) > 2 * self._settings.cache_min_tokens
        if not self._cache_told and len(main) > 1 and enough:
            self._cache_told = True
            if not any(call.read or call.created for call in main):
                told = "This endpoint reports no caching figures, so all input counts as uncached."
                self._screen.line(told, dim=True)

    def _stop(self) -> None:
        self._shell.stop()
        self._screen.loop.call_soon_threadsafe(self._harness.interrupt)

    def _happened(self, event: Event) -> None:
        """Show what the main agent's tools do; forks work unseen."""
        if not isinstance(event, ToolEvent) or event.by is not None:
            return
        what = event.tool
        if isinstance(event, ToolDenied):
            what += f" was refused: {shorten(one_line(event.reason), 120)}"
        elif isinstance(event, ToolFailed):
            what += f" failed: {shorten(one_line(event.reason), 120)}"
        self._screen.stream(f"\n[{what}]\n")

    def _leave(self) -> int:
        """Wait for what runs in the background, say what was cut off, and how to come back."""
        try:
            if self._dreaming.running:
                self._dreaming.stop()
            cut = self._screen.wait_for(self._harness.drain(), self._stop)
            self._screen.wait_for(self._harness.runtime.client.close(), self._stop)
        except KeyboardInterrupt:
            cut = ("everything that was running",)
        limit = self._settings.drain_seconds
        if cut:
            told = f"Cut off after {limit:g} s: {', '.join(cut)}. No file is left half-written."
            self._screen.line(told)
        if self._harness.agent.messages:
            self._screen.line(f"To continue later: --resume {self._harness.session}")
        self._screen.close()
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = project_parser("chat", __doc__)
    parser.add_argument("--resume", metavar="ID", default="", help="continue a session")
    parser.add_argument(
        "--shell", action="store_true", help="allow shell commands; you confirm each one"
    )
    parser.add_argument("--ask", action="store_true", help="ask before saving to memory")
    parser.add_argument(
        "--memory",
        choices=("full", "recall-only", "off"),
        default="",
        help="recall-only reads memory but saves nothing; a resumed session keeps its setting",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
