"""``python -m tests.mutation``: change the package line by line, and see each change noticed.

Left out: the list, in ``mutations.py``, and the running, in ``runner.py``.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.mutation.mutations import MUTATIONS, Mutation
from tests.mutation.runner import run_mutations

ROOT = Path(__file__).resolve().parents[2]


def main(
    arguments: Sequence[str] | None = None,
    *,
    mutations: Sequence[Mutation] = MUTATIONS,
    root: Path = ROOT,
) -> int:
    """Run the mutations; return 0 only if there are some and each is noticed."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--only", metavar="NAME", help="those whose line in the report holds NAME")
    parser.add_argument("-j", "--jobs", type=int, default=2, help="kernels at a time (default 2)")
    options = parser.parse_args(arguments)
    chosen = [one for one in mutations if not options.only or options.only in str(one)]
    if not chosen:
        print("no mutation to run")
        return 1
    return 1 if run_mutations(chosen, root=root, jobs=max(1, options.jobs)) else 0


if __name__ == "__main__":
    # Ended from outside, for example by a time limit, it still removes its folder.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    sys.exit(main())
