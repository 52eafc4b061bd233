"""Where ``chat``, ``dream`` and ``doctor`` begin: whatever ends them early
ends them in one line.

The command's module is imported only when it is called, since that takes a
second, in which a person may press Ctrl-C.
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from memlab.cli.setup.console import STOPPED


def main(argv: Sequence[str]) -> int:
    """Run a command, given its name, its module and its arguments; gives the
    exit status.
    """
    name, module, *rest = argv
    if sys.stdin is None or sys.stdout is None:
        print(
            f"memlab {name}: it needs standard input and standard output",
            file=sys.stderr,
        )
        return 2
    for stream in (sys.stdout, sys.stderr, sys.stdin):
        getattr(stream, "reconfigure", lambda **_: None)(errors="replace")
    try:
        status: int = import_module(module).main(rest)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        print(f"\nmemlab {name}: stopped", file=sys.stderr)
        return STOPPED
    except OSError as error:
        if not _is_output(error):
            print(f"memlab {name}: {error}", file=sys.stderr)
            return 2
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print(
            f"memlab {name}: cannot write its output: {error.strerror}",
            file=sys.stderr,
        )
        return 1
    except Exception as error:
        from memlab.errors import MemlabError

        if not isinstance(error, MemlabError):
            raise
        print(
            f"memlab {name}: {' '.join(str(error).split())}", file=sys.stderr
        )
        return 2


def project_parser(command: str, about: str | None) -> argparse.ArgumentParser:
    """Make a parser for a command that works on one project's folder,
    ``--project DIR``.
    """
    parser = argparse.ArgumentParser(
        prog=f"python3 -m memlab {command}",
        description=about,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--project",
        type=Path,
        metavar="DIR",
        default=Path.cwd(),
        help="the project's folder (default: the current folder)",
    )
    return parser


def _is_output(error: OSError) -> bool:
    """Tell whether it is the output that failed: a closed pipe, or a full
    device behind it.
    """
    return (
        error.errno in (errno.EPIPE, errno.ENOSPC, errno.EIO)
        and error.filename is None
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
