"""Fill in our solutions for the parts of earlier notebooks that have not
passed, so that you can begin with a later notebook.

What has passed stays as it is.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from memlab.course.data_files import notebook_numbers
from memlab.course.gap import all_gaps
from memlab.course.own_parts import part_files, write_part
from memlab.course.sources import stand_alone


def fill_in(number: int) -> list[str]:
    """Write our versions of the parts of earlier notebooks that the learner
    has not; gives their names.
    """
    written = part_files()
    missing = [
        gap
        for name, gap in all_gaps().items()
        if gap.notebook < number and name not in written
    ]
    for gap in missing:
        write_part(gap, stand_alone(gap.ours), "ours")
    return [gap.name for gap in missing]


def main(argv: Sequence[str]) -> int:
    """Make the state in which a notebook can begin; gives the exit status."""
    parser = argparse.ArgumentParser(
        prog="python3 -m memlab start",
        description=__doc__,
        epilog="example: python3 -m memlab start 07",
    )
    parser.add_argument(
        "notebook", metavar="NN", type=int, help="the notebook's number"
    )
    number = parser.parse_args(argv).notebook
    if number not in notebook_numbers():
        parser.error(f"there is no notebook {number:02d}")
    filled = fill_in(number)
    if not filled:
        print(f"Nothing to fill in: you can begin notebook {number:02d}.")
        return 0
    print(
        "Our solutions were filled in for these parts of earlier notebooks:"
        f" {', '.join(filled)}."
    )
    print("They are in my/parts. Your own parts were not changed.")
    return 0
