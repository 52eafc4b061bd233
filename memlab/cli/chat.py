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
  MEMLAB_MODEL=replay MEMLAB_TAPE=FILE         give the recorded answers again

Memory is kept in ~/.memlab (or MEMLAB_HOME), in one directory per project. It
is plain Markdown. Four further ways to remember are off until you switch them
on: session memory, team memory, personal memory and the daily log. For example,
MEMLAB_PERSONAL=on switches one on, and {"personal": true} in
~/.memlab/settings.json keeps it on.

examples:
  python3 -m memlab chat                     talk about the project in this folder
  python3 -m memlab chat --project DIR       talk about another project
  python3 -m memlab chat --continue          go on with the latest session
  python3 -m memlab chat --resume ID         go on with another one; its first characters are enough
  python3 -m memlab chat --print "…"         answer one message, for scripts

With --print, the answer goes to standard output, and what was recalled and saved to standard error.
Nobody can be asked, so what needs a yes is refused, and no dream starts.
exit status of --print: 0 it was answered, 1 the answer or saving failed, 2 it could not be started
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from select import select

from filelock import FileLock, Timeout

from memlab.agent.session import find_transcript, latest_session
from memlab.cli.commands import project_parser
from memlab.cli.slash import (
    COMMAND,
    STATES,
    Leave,
    Talk,
    memory_list,
    plain,
)
from memlab.errors import MemlabError
from memlab.events import ExtractionFailed
from memlab.harness import Harness, HarnessOptions
from memlab.ledger import Ledger
from memlab.memdir.folder import PRIVATE_FILE, Folder
from memlab.memdir.places import memory_paths
from memlab.memdir.toggles import load_settings
from memlab.models.connect import choose_model, make_runtime

try:
    import readline
except ImportError:  # on Windows, whose console edits lines itself
    readline = None  # type: ignore[assignment]


def main(argv: Sequence[str] | None = None) -> int:
    """Hold one conversation, or answer one message; returns the exit status.

    Raises MemlabError, and OSError, for what cannot be started.
    """
    parser = project_parser("chat", __doc__)
    add = parser.add_argument
    add("--print", metavar="MESSAGE", help="answer it (-: standard input)")
    add("--resume", metavar="ID", default="", help="go on with a session")
    add("--continue", dest="last", action="store_true", help="or the latest")
    add("--shell", action="store_true", help="run commands that you allow")
    modes, use = ("full", "recall-only", "off"), "what memory may be used for"
    add("--memory", choices=modes, default="", help=use)
    return asyncio.run(Chat(parser.parse_args(argv)).run())


class Chat(Talk):
    """A conversation in a terminal, or the one message of ``--print``.

    All of it runs on one loop. Only ``input`` waits in a thread, so that what
    works in the background goes on meanwhile.
    """

    def __init__(self, args: argparse.Namespace) -> None:
        paths, choice = memory_paths(args.project), choose_model()
        folder, base = paths.project_dir, paths.conversations_dir.parent
        settings = load_settings(folder, base=base)
        super().__init__(choice, Ledger())
        runtime = make_runtime(choice, ledger=self.ledger, settings=settings)
        self.args, self.is_script = args, args.print is not None
        self.person = sys.stdin.isatty() and not self.is_script
        self.screen = sys.stderr if self.is_script else sys.stdout
        self.typing, self.answering = "", False
        self.line: asyncio.Task[str] | None = None
        wanted = latest_session(folder) if args.last else args.resume
        resume = find_transcript(base, wanted).stem if wanted else ""
        session = resume or runtime.clock.new_id()
        Folder(folder).make()
        self.lock = FileLock(
            folder / f"{session}.lock", timeout=0, mode=PRIVATE_FILE
        )
        try:  # until this process ends
            self.lock.acquire()
        except Timeout:
            what = f"session {session} is open in another chat"
            raise MemlabError(what, do="Leave it there first") from None
        bare = {"MEMLAB_BARE": "1"} if self.is_script else {}
        options = HarnessOptions(
            runtime=runtime,
            mode=args.memory.replace("-", "_"),
            session=session,
            resume=resume,
            ask=self.ask if self.person else None,
            run_shell=self.run_shell if args.shell else None,
            environ={**os.environ, **bare},
            observer=self,
        )
        self.harness = Harness(args.project, options)

    async def run(self) -> int:
        """Talk until the person leaves, or answer one message."""
        wake = asyncio.get_running_loop().call_soon_threadsafe
        signal.signal(signal.SIGINT, lambda *_: wake(self.stop))
        for problem in self.harness.toggles.problems:
            self.on_notice(problem)
        if self.is_script:
            return await self.answer()
        self.show(memory_list(self.harness).partition("\n")[0])
        self.show(self.choice.in_words(self.harness.runtime.settings))
        self.show("/help lists the commands. /exit or Ctrl-D leaves.")
        try:
            while True:
                line = await self.read()
                if line:
                    await self.take(line)
        except (EOFError, Leave):
            await self.finish()
        return 0

    async def answer(self) -> int:
        """Answer the message that was given; 1 if that or saving has failed."""
        words = self.args.print if self.args.print != "-" else sys.stdin.read()
        if not words.strip() or COMMAND.fullmatch(words.strip()):
            what = f"{words!r} is no message for the agent"
            raise MemlabError(what, where="--print", do="Write a sentence")
        said = await self.say(words)
        print(plain(said.text), flush=True)
        cut = await self.finish(600)  # seconds for what is being saved
        failed = self.harness.runtime.events.of(ExtractionFailed)
        return 1 if said.error or cut or failed else 0

    async def finish(self, seconds: float | None = None) -> tuple[str, ...]:
        """Stop a dream, wait for what is being saved, and say how to go on;
        returns what was cut off.
        """
        if self.harness.dreams.stop() and self.dream:
            await self.dream
        cut = await self.harness.drain(seconds)
        await self.harness.runtime.client.close()
        self.lock.release()
        if cut:
            self.show(f"Cut off: {', '.join(cut)}. No file is half-written.")
        if self.harness.agent.messages and self.harness.transcript.parent:
            self.show(f"To go on later: --resume {self.harness.session}")
        return cut

    def stop(self) -> None:
        """Do what Ctrl-C means: end the answer, and not the session."""
        if self.typing:
            self.show("Ctrl-D or /exit leaves. At a question, Enter means no.")
        self.harness.interrupt()

    async def read(self) -> str:
        """Let the person type; lines that are pasted together are one
        message.
        """
        if self.answering:
            self.show("")
        line = await self.typed(self.prompt())
        with suppress(OSError):  # Windows cannot tell whether more has come
            while self.person and select([sys.stdin], [], [], 0.05)[0]:
                line += "\n" + await self.typed("")
        return line.removeprefix("\ufeff").strip()  # from a Windows shell

    async def typed(self, prompt: str) -> str:
        """Wait for a line. One that a question waited for in vain is given to
        whoever waits next.
        """
        self.typing = prompt if self.person else ""
        if self.line is None:
            work = asyncio.to_thread(input, self.typing)
            self.line = asyncio.create_task(work)
        else:
            print(self.typing, end="", flush=True)
        try:
            return await asyncio.shield(self.line)
        finally:
            self.typing = ""
            if self.line.done():
                self.line = None

    async def ask(self, question: str) -> bool:
        """Put a question to the person; only a clear yes is one."""
        self.show(question)
        return (await self.typed("[y/N] ")).strip().lower() in ("y", "yes")

    def prompt(self) -> str:
        """Say in the prompt if memory is not on, or a dream is under way."""
        mode, task = self.harness.mode, self.harness.dreams.task
        state = STATES[mode] if mode != "full" else task.pill if task else ""
        return f"you ({state})> " if state else "you> "

    def show(self, text: str) -> None:
        """Print lines, above what is being typed."""
        text = plain(text)
        if self.answering:
            text = f"\n{text}"
        self.answering = False
        if self.typing:
            line = self.typing + (
                readline.get_line_buffer() if readline else ""
            )
            print(f"\r{' ' * len(line)}\r{text}\n{line}", end="", flush=True)
        else:
            print(text, file=self.screen, flush=True)

    def on_text(self, text: str) -> None:
        """Print a piece of the answer."""
        text = plain(text)
        if not self.answering and text.strip() and not self.is_script:
            text = f"agent> {text.lstrip()}"
            self.answering = True
        if self.answering:
            print(text, end="", flush=True)

    def run_shell(self, command: str) -> str:
        """Run a command that the person allowed, in the project's folder.

        It has no keyboard and not the model's key. Ctrl-C ends it.
        """
        with tempfile.TemporaryFile() as output:  # background jobs keep a pipe
            done = subprocess.run(
                command,
                shell=True,
                cwd=self.args.project,
                env={
                    **os.environ,
                    "ANTHROPIC_API_KEY": "",
                    "ANTHROPIC_AUTH_TOKEN": "",
                },
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
            output.seek(0)
            text = output.read(40_000).decode("utf-8", "replace")
        return f"{text}[exit status {done.returncode}]"
