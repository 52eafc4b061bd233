"""Put a project's memory in order now, whenever that was done last.

The dream works on a copy. You see what it would change and decide, change by change; what you let
pass is one change that /undo in the chat takes back. Ctrl-C leaves everything as it was.

exit status: 0 the dream ended well, 1 it failed or was stopped, 2 it could not be started

examples:
  python3 -m memlab dream             the project you stand in; asks before it changes anything
  python3 -m memlab dream --dry-run   show what it would change
  python3 -m memlab dream --yes       change what the review lets pass, without a question
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

from memlab.chat.arguments import project_parser
from memlab.chat.screen import Screen
from memlab.clock import SystemClock
from memlab.connect import chosen_mode, connect
from memlab.dream.receipt import Receipt
from memlab.dream.task import DreamTask
from memlab.errors import MemlabError
from memlab.events import EventLog
from memlab.harness import Harness
from memlab.ledger import Ledger
from memlab.memdir.scan import one_line
from memlab.settings import Settings

NOBODY = "nobody is here to ask. Use --yes, or --dry-run to see what it would change"


def main(argv: Sequence[str] | None = None) -> int:
    """Dream once; gives the exit status."""
    args = _parser().parse_args(argv)
    for stream in (sys.stdout, sys.stderr):
        getattr(stream, "reconfigure", lambda **_: None)(errors="replace")
    policy = "dry_run" if args.dry_run else "apply" if args.yes else "ask"
    try:
        if policy == "ask" and not sys.stdin.isatty():
            raise MemlabError(NOBODY)
        mode, screen, settings = chosen_mode(), Screen(), Settings()
        harness = _harness(args.project, mode, settings, screen)
    except (MemlabError, OSError) as error:
        print(f"memlab dream: {one_line(str(error))}", file=sys.stderr)
        return 2
    screen.line(f"Dreaming over {harness.context.show(harness.memory)}. Ctrl-C stops it.")
    if mode == "offline":
        screen.line("Offline: rules dream, not a language model.")
    try:
        task = screen.wait_for(harness.dream_now(policy=policy), harness.dreams.stop)
    except MemlabError as error:
        print(f"memlab dream: {one_line(str(error))}", file=sys.stderr)
        return 2
    return _conclude(task, screen, policy)


def _harness(project: Path, mode: str, settings: Settings, screen: Screen) -> Harness:
    clock = SystemClock()

    async def decide(receipt: Receipt) -> Collection[str]:
        lines = [f"  {number}  {one.line}" for number, one in enumerate(receipt.accepted, 1)]
        screen.notice("\n".join(["It would change:", *lines]))
        wanted = await screen.choose_later(len(lines))
        return [receipt.accepted[number - 1].file for number in wanted]

    return Harness(
        project,
        client=connect(mode, ledger=Ledger(settings), clock=clock),
        clock=clock,
        settings=settings,
        events=EventLog(clock),
        decide=decide,
    )


def _conclude(task: DreamTask, screen: Screen, policy: str) -> int:
    if policy != "ask" or task.phase == "done":
        screen.line(str(task.receipt))
    screen.line(task.notice)
    screen.close()
    return 0 if task.phase == "done" else 1


def _parser() -> argparse.ArgumentParser:
    parser = project_parser("dream", __doc__)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--dry-run", action="store_true", help="change nothing")
    kind.add_argument("--yes", action="store_true", help="do not ask")
    return parser


if __name__ == "__main__":
    sys.exit(main())
