"""Dreams at the terminal: ``python3 -m memlab dream``.

The person decides change by change. A dream that an earlier session
left for a review is decided on in the same way.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

from memlab.chat.screen import choose, confirm
from memlab.cli.chat.terminal import Terminal
from memlab.cli.installed import project_parser
from memlab.dream.dream import DreamTask, what_happened
from memlab.dream.receipt import NO_SOURCE, Receipt
from memlab.errors import MemlabError
from memlab.evidence.support import Verdict
from memlab.harness import Harness, HarnessOptions
from memlab.ledger import Ledger
from memlab.memdir.places import memory_paths
from memlab.memdir.scan import one_line
from memlab.memdir.toggles import load_settings
from memlab.models.connect import ModelChoice, choose_model, make_runtime
from memlab.settings import Settings

HELP = """Tidy up a project's memory now, no matter when that was last done.

The dream works on a copy. You see what it would change and decide, change by change. What you
accept is committed as one change, which /undo in the chat can undo. Ctrl-C leaves everything as it
was. With --yes you are not asked, so a dream that would remove, merge or rewrite a lot waits for
your review, and so does a file to which it would add what nobody said. Run the command again
without --yes to review it. Until then, no other dream starts.

exit status: 0 the dream ended well, 1 it failed, was stopped, or waits for your review, 2 it could
not be started

examples:
  python3 -m memlab dream             dream in the current project, and ask before each change
  python3 -m memlab dream --dry-run   show what it would change
  python3 -m memlab dream --yes       commit what the automatic review accepts, without asking

A line for cron, to dream every night at three (run it where memlab is; cron does not know your
shell's variables, so set MEMLAB_MODEL and the key in the crontab, too):
  0 3 * * * cd ~/memlab && python3 -m memlab dream --project ~/project --yes
"""
_WITHOUT_YES = "Run the command without --yes to accept or drop it"
NOBODY = (
    "there is nobody to ask. Use --yes, or --dry-run to see what a dream would"
    " change"
)
HELD_LISTED = (
    "These sentences were held back. Decide on them in the chat, with /review:"
)


def main(argv: Sequence[str] | None = None) -> int:
    """Dream once; returns the exit status."""
    args = _parser().parse_args(argv)
    policy = "dry_run" if args.dry_run else "apply" if args.yes else "ask"
    try:
        if policy == "ask" and not _is_terminal():
            raise MemlabError(NOBODY)
        choice, terminal = choose_model(), Terminal()
        paths = memory_paths(args.project)
        settings = load_settings(
            paths.project_dir, base=paths.conversations_dir.parent
        )
        harness = _harness(args.project, choice, settings, terminal)
        if harness.dreams.waiting.there:
            return _review(harness, terminal, policy)
    except (MemlabError, OSError) as error:
        print(f"memlab dream: {one_line(str(error))}", file=sys.stderr)
        return 2
    terminal.line(
        f"Dreaming over {harness.context.show(harness.memory)}. Ctrl-C"
        " stops it."
    )
    if choice.mode == "offline":
        terminal.line("Offline: rules dream, not a language model.")
    elif choice.asks != "live":
        terminal.line(choice.in_words(settings))
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
    project: Path, choice: ModelChoice, settings: Settings, terminal: Terminal
) -> Harness:
    async def decide(receipt: Receipt) -> Collection[str] | None:
        terminal.notice(_numbered(receipt))
        wanted = await choose(terminal, len(receipt.accepted))
        if wanted is None:
            return None
        return [receipt.accepted[number - 1].file for number in wanted]

    runtime = make_runtime(choice, ledger=Ledger(settings), settings=settings)
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
        count = len(receipt.accepted)
        chosen = terminal.wait_for(_choose(terminal, count), _wait)
    except KeyboardInterrupt:
        terminal.line("Nothing was decided. The dream is still waiting.")
        return 1
    if chosen is None:
        terminal.line("The dream is still waiting.")
        return 1
    wanted = [receipt.accepted[number - 1].file for number in chosen]
    done = waiting.accept(wanted, who="dream", session=harness.session)
    terminal.line(f"The dream {what_happened(done)}.")
    _list_held(harness, terminal)
    terminal.close()
    return 0


async def _choose(terminal: Terminal, count: int) -> list[int] | None:
    """Let the person choose changes; None if they neither choose any nor drop
    the dream.
    """
    chosen = await choose(terminal, count)
    if chosen == [] and not await confirm(terminal, "Drop this dream?"):
        return None
    return chosen


def _wait() -> None:
    """Ctrl-C leaves the question, so there is nothing else to stop."""


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
            for text in receipt.gained(change.file, *NO_SOURCE)
        ]
        lines += [
            f"       a rise in authority: {one_line(text)}"
            for text in receipt.gained(change.file, Verdict.RISE)
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
    held = [one for one in harness.store.waiting() if not one.closes_gate]
    if held:
        terminal.line(HELD_LISTED)
        for number, one in enumerate(held, 1):
            terminal.line(f"{number}  {one.line}")


def _parser() -> argparse.ArgumentParser:
    parser = project_parser("dream", HELP)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--dry-run", action="store_true", help="change nothing")
    kind.add_argument(
        "--yes", action="store_true", help="do not ask for confirmation"
    )
    return parser
