"""Dreams at the terminal: ``python3 -m memlab dream``, and ``/dream`` in the
chat.

In both, the person decides change by change. A dream that an earlier session
left for a review is decided on in the same way.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from memlab.cli.chat.terminal import POLL_SECONDS, Terminal
from memlab.cli.installed import project_parser
from memlab.dream.dream import DreamTask, what_happened
from memlab.dream.receipt import Receipt
from memlab.errors import MemlabError
from memlab.harness import Harness, HarnessOptions
from memlab.ledger import Ledger
from memlab.memdir.held import HeldSentence
from memlab.memdir.paths import memory_paths
from memlab.memdir.scan import one_line
from memlab.memdir.toggles import load_settings
from memlab.models.connect import chosen_mode, make_runtime
from memlab.settings import Settings

HELP = """Tidy up a project's memory now, no matter when that was last done.

The dream works on a copy. You see what it would change and decide, change by change. What you
accept is committed as one change, which /undo in the chat can undo. Ctrl-C leaves everything as it
was. With --yes you are not asked, so a dream that would remove, merge or rewrite a lot waits for
your review. Run the command again without --yes to review it. Until then, no other dream starts.

exit status: 0 the dream ended well, 1 it failed, was stopped, or waits for your review, 2 it could
not be started

examples:
  python3 -m memlab dream             dream in the current project, and ask before each change
  python3 -m memlab dream --dry-run   show what it would change
  python3 -m memlab dream --yes       commit what the automatic review accepts, without asking
"""
_WITHOUT_YES = "Run the command without --yes to accept or drop it"
NOBODY = (
    "there is nobody to ask. Use --yes, or --dry-run to see what a dream would"
    " change"
)
DECIDE_HELD = (
    "Accept them with /review accept [NUMBER …], or drop them with /review"
    " reject [NUMBER …]"
)
HELD_LISTED = (
    "These sentences were held back. Decide on them in the chat, with /review:"
)
NO_DREAM = "No dream in this session."
ASKED = (
    "/dream receipt shows it, /dream diff FILE shows one change; "
    "decide with /dream accept or /dream reject"
)


def main(argv: Sequence[str] | None = None) -> int:
    """Dream once; returns the exit status."""
    args = _parser().parse_args(argv)
    policy = "dry_run" if args.dry_run else "apply" if args.yes else "ask"
    try:
        if policy == "ask" and not _is_terminal():
            raise MemlabError(NOBODY)
        mode, terminal = chosen_mode(), Terminal()
        paths = memory_paths(args.project)
        settings = load_settings(
            paths.project_dir, base=paths.conversations_dir.parent
        )
        harness = _harness(args.project, mode, settings, terminal)
        if harness.dreams.waiting.there:
            return _review(harness, terminal, policy)
    except (MemlabError, OSError) as error:
        print(f"memlab dream: {one_line(str(error))}", file=sys.stderr)
        return 2
    terminal.line(
        f"Dreaming over {harness.context.show(harness.memory)}. Ctrl-C"
        " stops it."
    )
    if mode == "offline":
        terminal.line("Offline: rules dream, not a language model.")
    try:
        task = terminal.wait_for(
            harness.dream_now(policy=policy), harness.dreams.stop
        )
    except MemlabError as error:
        print(f"memlab dream: {one_line(str(error))}", file=sys.stderr)
        return 2
    return _conclude(task, harness, terminal, policy)


def _is_terminal() -> bool:
    return sys.stdin.isatty()


def _harness(
    project: Path, mode: str, settings: Settings, terminal: Terminal
) -> Harness:
    async def decide(receipt: Receipt) -> Collection[str] | None:
        terminal.notice(_numbered(receipt))
        wanted = await terminal.choose_later(len(receipt.accepted))
        if terminal.left:
            return None
        return [receipt.accepted[number - 1].file for number in wanted]

    runtime = make_runtime(mode, ledger=Ledger(settings), settings=settings)
    return Harness(project, HarnessOptions(runtime=runtime, decide=decide))


def _review(harness: Harness, terminal: Terminal, policy: str) -> int:
    """Show the dream that waits for a review, and let the person decide on
    each of its changes.
    """
    waiting = harness.dreams.waiting
    terminal.line(harness.dreams.reminder())
    receipt = waiting.receipt()
    if policy == "dry_run":
        terminal.line(str(receipt))
        return 0
    if policy == "apply":
        raise MemlabError(
            "a dream is waiting for your decision", do=_WITHOUT_YES
        )
    terminal.line(_numbered(receipt))
    try:
        chosen = terminal.choose(len(receipt.accepted))
    except KeyboardInterrupt:
        terminal.line("Nothing was decided. The dream is still waiting.")
        return 1
    if not chosen and not terminal.confirm("Drop this dream?"):
        terminal.line("The dream is still waiting.")
        return 1
    wanted = [receipt.accepted[number - 1].file for number in chosen]
    done = waiting.accept(wanted, who="dream", session=harness.session)
    terminal.line(f"The dream {what_happened(done)}.")
    _list_held(harness, terminal)
    terminal.close()
    return 0


def _numbered(receipt: Receipt) -> str:
    """List the changes with numbers to choose by, and whatever a person should
    know of each.
    """
    lines = ["It would change:"]
    for number, change in enumerate(receipt.accepted, 1):
        lines.append(f"  {number}  {change.line}")
        lines += [
            f"       a negation changed: {one_line(pair)}"
            for pair in change.reverses
        ]
        lines += [
            f"       no source found for: {one_line(text)}"
            for text in change.unsupported
        ]
        lines += [
            f"       a rise in authority: {one_line(text)}"
            for text in change.rises
        ]
    return "\n".join([*lines, *receipt.suspicions])


def _conclude(
    task: DreamTask, harness: Harness, terminal: Terminal, policy: str
) -> int:
    if policy != "ask" or task.phase == "done":
        terminal.line(str(task.receipt))
    terminal.line(task.notice)
    _list_held(harness, terminal)
    terminal.close()
    return 0 if task.phase == "done" else 1


def _list_held(harness: Harness, terminal: Terminal) -> None:
    """List the sentences that wait for the person, with their numbers."""
    held = harness.store.held()
    if held:
        terminal.line(HELD_LISTED)
        terminal.lines(_held_lines(held))


def _held_lines(held: Sequence[HeldSentence]) -> list[str]:
    return [f"{number}  {one.line}" for number, one in enumerate(held, 1)]


def _parser() -> argparse.ArgumentParser:
    parser = project_parser("dream", HELP)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--dry-run", action="store_true", help="change nothing")
    kind.add_argument(
        "--yes", action="store_true", help="do not ask for confirmation"
    )
    return parser


class ChatDreams:
    """What the person does with dreams; ``harness`` is set once there is one."""

    harness: Harness

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._by_hand: Future[DreamTask] | None = None
        self._verdict: asyncio.Future[Collection[str] | None] | None = None

    async def decide(self, receipt: Receipt) -> Collection[str] | None:
        """Show that a receipt waits, and wait for the person's word, in the
        agent's thread.
        """
        count = len(receipt.accepted)
        self._verdict = asyncio.get_running_loop().create_future()
        self._terminal.notice(
            f"A dream wants to change {count} file{'s' * (count != 1)}:"
            f" {ASKED}."
        )
        try:
            return await self._verdict
        finally:
            self._verdict = None

    def command(self, rest: str) -> None:
        """Run ``/dream`` with the words that follow it."""
        word, *files = rest.split() or [""]
        actions = self._actions(files)
        if word in actions:
            actions[word]()
        else:
            *others, last = list(actions)[1:]
            self._terminal.line(
                f"The commands are /dream and /dream {', '.join(others)} or"
                f" {last}"
            )

    def offers(self) -> list[str]:
        """Return the words that can follow ``/dream``, and the files that a
        receipt lists.
        """
        receipt = self._shown_receipt()
        files = [change.file for change in receipt.accepted] if receipt else []
        return [*list(self._actions([]))[1:], *files]

    def _actions(self, files: list[str]) -> Mapping[str, Callable[[], None]]:
        return {
            "": self._start,
            "status": self._status,
            "stop": self.stop,
            "receipt": self._receipt,
            "diff": lambda: self._diff(files),
            "accept": lambda: self._answer("accept", files),
            "reject": lambda: self._answer("reject", files),
        }

    @property
    def task(self) -> DreamTask | None:
        """The dream under way, or the newest."""
        return self.harness.dreams.task

    @property
    def running(self) -> bool:
        """Whether a dream is under way."""
        begun = self._by_hand is not None and not self._by_hand.done()
        return begun or bool(self.task and self.task.pill)

    def stop(self) -> None:
        """End the dream under way, and wait until it has ended."""
        if not self.running:
            self._terminal.line("No dream is running.")
            return
        self._terminal.wait_for(self._until_it_ends(stop=True), lambda: None)

    async def _until_it_ends(self, *, stop: bool = False) -> None:
        while self.running:
            if stop:
                self.harness.dreams.stop()
            await asyncio.sleep(POLL_SECONDS)

    def _start(self) -> None:
        if self.running:
            self._terminal.line(
                "A dream is already running. /dream status shows its progress."
            )
            return
        loop = self._terminal.loop
        before = self.task
        self._by_hand = asyncio.run_coroutine_threadsafe(
            self.harness.dream_now(), loop
        )
        self._by_hand.add_done_callback(self._ended)
        self._terminal.wait_for(
            self._until_begun_or_refused(before), lambda: None
        )
        if self.task is not before:
            self._terminal.line(
                "Dreaming. You can go on working; /dream status shows its"
                " progress."
            )

    async def _until_begun_or_refused(self, before: DreamTask | None) -> None:
        while (
            self._by_hand is not None
            and not self._by_hand.done()
            and self.task is before
        ):
            await asyncio.sleep(POLL_SECONDS)

    def _ended(self, dream: Future[DreamTask]) -> None:
        with suppress(CancelledError):
            error = dream.exception()
            if isinstance(error, MemlabError):
                self._terminal.notice(str(error))
            elif error:
                self._terminal.notice(f"The dream failed: {error!r}.")

    def review(self, rest: str) -> None:
        """Run ``/review``: show what was held back, a dream or single
        sentences, and accept or drop it.
        """
        word, *named = rest.split() or [""]
        store = self.harness.store
        held = store.held()
        wrong = [
            one
            for one in named
            if one.isdigit() and not 1 <= int(one) <= len(held)
        ]
        chosen = [
            one
            for number, one in enumerate(held, 1)
            if not named or str(number) in named
        ]
        a_dream = self.running or self.harness.dreams.waiting.there
        if wrong:
            self._terminal.line(f"There is no number {', '.join(wrong)}.")
        elif word in ("accept", "reject") and chosen:
            for one in chosen:
                if word == "accept":
                    self.harness.accept_held(one)
                else:
                    store.drop_held([one])
                done = "Accepted" if word == "accept" else "Dropped"
                self._terminal.line(f"{done}: {one.line}")
            if a_dream and not named:
                self.command(rest)
        elif word:
            self.command(rest)
        else:
            self._terminal.lines(_held_lines(held))
            if held:
                self._terminal.line(DECIDE_HELD)
            if a_dream or not held:
                self._receipt()

    def _status(self) -> None:
        task = self.task
        if task is None:
            self._terminal.line(self.harness.dreams.reminder() or NO_DREAM)
            return
        used = ", ".join(
            f"{name} {count}"
            for name, count in sorted(task.tool_counts.items())
        )
        self._terminal.line(
            f"{task.phase}: {task.notice or task.last_text}".rstrip(": ")
        )
        self._terminal.line(
            f"  sessions under review: {len(task.sessions)}; tools:"
            f" {used or 'none'}"
        )
        self._terminal.line(
            f"  files touched: {', '.join(task.files_touched) or 'none'}"
        )
        if task.asking:
            self._terminal.line(f"  It is waiting for you: {ASKED}.")

    def _shown_receipt(self) -> Receipt | None:
        """Return the receipt to show: of the dream under way, else of one that
        waits, else newest.
        """
        waiting = None if self.running else self.harness.dreams.waiting.look()
        if waiting is not None:
            return replace(
                self.harness.dreams.waiting.receipt(), waits=waiting.why
            )
        return self.task.receipt if self.task else None

    def _receipt(self) -> None:
        receipt = self._shown_receipt()
        self._terminal.line(NO_DREAM if receipt is None else str(receipt))

    def _diff(self, files: list[str]) -> None:
        receipt = self._shown_receipt()
        changes = receipt.changes if receipt else ()
        shown = [
            change for change in changes if not files or change.file in files
        ]
        self._terminal.lines(
            f"{change.line}\n{change.diff}" for change in shown
        )
        if not shown:
            self._terminal.line("The receipt has no such change.")

    def _answer(self, word: str, files: list[str]) -> None:
        verdict, task = self._verdict, self.task
        if verdict is not None and task is not None:
            wanted = self._wanted(task.receipt, word, files)
            if wanted is not None:
                self._terminal.loop.call_soon_threadsafe(
                    _settle, verdict, wanted
                )
                self._terminal.wait_for(self._until_it_ends(), lambda: None)
        elif self.running or not self.harness.dreams.waiting.there:
            self._terminal.line("No dream is waiting for a decision.")
        elif word == "reject" and not files:
            self.harness.dreams.waiting.reject()
            self._terminal.line(
                "The dream was dropped. The memory is as it was."
            )
        else:
            waiting = self.harness.dreams.waiting
            wanted = self._wanted(waiting.receipt(), word, files)
            if wanted is not None:
                receipt = waiting.accept(
                    wanted, who="dream", session=self.harness.session
                )
                self._terminal.line(str(receipt))
                self._terminal.line(f"The dream {what_happened(receipt)}.")

    def _wanted(
        self, receipt: Receipt, word: str, files: list[str]
    ) -> Collection[str] | None:
        """Return the files whose change the person accepts; None if a name is
        not on the receipt.
        """
        every = {change.file for change in receipt.accepted}
        unknown = sorted(set(files) - every)
        if unknown:
            self._terminal.line(
                f"The receipt has no change to {', '.join(unknown)}."
            )
            return None
        named = set(files) if files else every
        return named if word == "accept" else every - named


def _settle(
    verdict: asyncio.Future[Collection[str] | None], wanted: Collection[str]
) -> None:
    if not verdict.done():
        verdict.set_result(wanted)
