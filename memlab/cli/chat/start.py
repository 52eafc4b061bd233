"""Where ``chat``, ``dream`` and ``doctor`` begin: whatever ends them early ends them in one line.

Loads nothing until it is called, since loading takes a second in which a person may press Ctrl-C.
Left out: the commands themselves.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence

STOPPED, BROKEN = 130, 1


def main(argv: Sequence[str]) -> int:
    """Run one of the three with the arguments that follow it; gives the exit status."""
    if sys.stdin is None or sys.stdout is None:
        print(f"memlab {argv[0]}: it needs standard input and standard output", file=sys.stderr)
        return 2
    for stream in (sys.stdout, sys.stderr, sys.stdin):
        getattr(stream, "reconfigure", lambda **_: None)(errors="replace")
    try:
        status = _run(argv)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        print(f"\nmemlab {argv[0]}: stopped", file=sys.stderr)
        return STOPPED
    except OSError as error:
        if not _is_output(error):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print(f"memlab {argv[0]}: cannot write its output: {error.strerror}", file=sys.stderr)
        return BROKEN


def _run(argv: Sequence[str]) -> int:
    if argv[0] == "dream":
        from memlab.cli.chat.dream_command import main as dream

        return dream(argv[1:])
    if argv[0] == "doctor":
        from memlab.memdir.doctor import main as doctor

        return doctor(argv[1:])
    from memlab.cli.chat.terminal import main as chat

    return chat(argv[1:])


def _is_output(error: OSError) -> bool:
    """Tell whether it is the output that failed: a closed pipe, or a full device behind it."""
    return error.errno in (errno.EPIPE, errno.ENOSPC, errno.EIO) and error.filename is None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
