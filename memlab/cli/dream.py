"""Tidy up a project's memory now, no matter when that was last done.

The dream works on a copy. You see what it would change, and decide change by change. What you
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

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Sequence

from memlab.cli.commands import project_parser
from memlab.dream.dream import what_happened
from memlab.dream.receipt import Receipt
from memlab.errors import MemlabError
from memlab.harness import Harness, HarnessOptions
from memlab.ledger import Ledger
from memlab.memdir.places import memory_paths
from memlab.memdir.toggles import load_settings
from memlab.models.connect import choose_model, make_runtime
from memlab.text import visible


def main(argv: Sequence[str]) -> int:
    """Dream once, or review the dream that waits; returns the exit status."""
    parser = project_parser("dream", __doc__)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--dry-run", action="store_true", help="change nothing")
    kind.add_argument("--yes", action="store_true", help="do not ask")
    args = parser.parse_args(argv)
    policy = "dry_run" if args.dry_run else "apply" if args.yes else "ask"
    if policy == "ask" and not sys.stdin.isatty():
        do = "Use --yes, or --dry-run to see what a dream would change"
        raise MemlabError("there is nobody to ask", do=do)
    paths, choice = memory_paths(args.project), choose_model()
    settings = load_settings(
        paths.project_dir, base=paths.conversations_dir.parent
    )
    runtime = make_runtime(choice, ledger=Ledger(settings), settings=settings)
    harness = Harness(
        args.project, HarnessOptions(runtime=runtime, decide=choose)
    )
    if policy == "ask" and harness.dreams.waiting.there:
        return review(harness)
    where = harness.context.show(harness.memory)
    print(f"Dreaming over {where}. {choice.in_words(settings)}")
    task = asyncio.run(harness.dream_now(policy=policy))
    if policy != "ask" or not task.receipt.accepted:
        print(visible(str(task.receipt)))
    print(visible(task.notice))
    return int(task.phase != "done")


def review(harness: Harness) -> int:
    """Let the person decide on the dream that waits for a review."""
    waiting = harness.dreams.waiting
    print(visible(harness.dreams.reminder()))
    wanted = choose(waiting.receipt())
    if wanted is None:
        print("Nothing was decided. The dream is still waiting.")
        return 1
    done = waiting.accept(wanted, who="dream", session=harness.session)
    print(f"The dream {what_happened(done)}.")
    return 0


def choose(receipt: Receipt) -> list[str] | None:
    """Let the person choose among the changes of a dream; returns the files, or
    None if the person leaves the question.
    """
    # asyncio would let Ctrl-C wait for the answer
    signal.signal(signal.SIGINT, signal.default_int_handler)
    print(visible(f"{receipt}\n\nIt would change:"))
    changes = {str(n): change for n, change in enumerate(receipt.accepted, 1)}
    for number, change in changes.items():
        print(visible(f"  {number}  {change.line}"))
    while True:
        try:
            words = (
                input("which? (numbers, all, or none) ")
                .replace(",", " ")
                .split()
            )
        except (EOFError, KeyboardInterrupt):
            return None
        if words == ["none"]:
            return []
        wanted = list(changes) if words == ["all"] else words
        if wanted and changes.keys() >= set(wanted):
            return [changes[number].file for number in wanted]
