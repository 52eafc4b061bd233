"""Fill in our solutions for the parts of earlier notebooks that have not
passed, so that you can begin with a later notebook.

What has passed stays as it is.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from memlab.course.data_files import notebook_numbers
from memlab.course.own_parts import fill_in


def main(argv: Sequence[str]) -> int:
    """Make the state in which a notebook can begin; gives the exit status."""
    parser = argparse.ArgumentParser(
        "python3 -m memlab start", description=__doc__
    )
    parser.add_argument("notebook", metavar="NN", type=int)
    number = parser.parse_args(argv).notebook
    if number not in notebook_numbers():
        parser.error(f"there is no notebook {number:02d}")
    filled = fill_in(number)
    if filled:
        print(f"Filled in with our solutions: {', '.join(filled)}.")
        print("They are in my/parts/ours. Your own parts were not changed.")
    else:
        print(f"Nothing to fill in: you can begin notebook {number:02d}.")
    return 0
