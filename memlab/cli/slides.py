"""``slides``: the short path of notebooks as slides, one HTML file each.

They are made in the course's environment, which has a Markdown parser and
Pygments; see ``memlab/course/deck.py``.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from memlab.cli.setup.clone import Clone
from memlab.cli.setup.interpreter import add_environment_options, prepare
from memlab.cli.setup.process import environment, run_child


def add_options(parser: ArgumentParser) -> None:
    """Describe the options of ``slides``."""
    parser.add_argument(
        "notebooks",
        nargs="*",
        metavar="NN",
        help="the notebooks' numbers (default: all)",
    )
    parser.add_argument(
        "--to",
        type=Path,
        metavar="DIR",
        help="write the files into this folder (default: my/slides)",
    )
    add_environment_options(parser)


def run(clone: Clone, args: Namespace) -> int:
    """Write the slides; the files need nothing but a browser."""
    chosen = prepare(clone, here=args.here, wheels=args.wheels)
    folder = (args.to or clone.my / "slides").absolute()
    return run_child(
        [
            chosen.python,
            "-m",
            "memlab.course.deck",
            str(folder),
            *args.notebooks,
        ],
        cwd=clone.root,
        env=environment(),
    )
