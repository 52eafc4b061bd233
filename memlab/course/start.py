"""Fill in our solutions for the parts of earlier notebooks that have not
passed, so that you can begin with a later notebook.

What has passed stays as it is.

examples:
  python3 -m memlab start 07    begin with notebook 07
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence

from memlab.course.data_files import notebook_numbers
from memlab.course.gap_list import fill_in, read_parts
from memlab.errors import CourseError, MemlabError


def start(number: int) -> list[str]:
    """Fill in what is missing before a notebook; gives the names of the parts.

    Raises CourseError for a notebook that does not exist.
    """
    numbers = notebook_numbers()
    if number not in numbers:
        raise CourseError(
            f"there is no notebook {number:02d}",
            do=f"Give a number from {numbers[0]:02d} to {numbers[-1]:02d}",
        )
    return fill_in(number)


def main(argv: Sequence[str]) -> int:
    """Make the state in which a notebook can begin; gives the exit status."""
    parser = argparse.ArgumentParser(
        prog="python3 -m memlab start",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("notebook", metavar="NN", help="the notebook's number")
    given = parser.parse_args(argv).notebook
    if not re.fullmatch(r"\d\d?", given):
        parser.error(
            f"{given!r} is not a notebook number; a number looks like 07"
        )
    try:
        for problem in read_parts():
            print(problem)
        filled = start(int(given))
    except (MemlabError, OSError) as error:
        print(f"memlab start: {error}", file=sys.stderr)
        return 2
    if not filled:
        print(f"Nothing to fill in: you can begin notebook {int(given):02d}.")
        return 0
    parts = "1 part" if len(filled) == 1 else f"{len(filled)} parts"
    print(
        f"Our solutions were filled in for {parts} of earlier notebooks:"
        f" {', '.join(filled)}."
    )
    print("They are in my/parts. Your own parts were not changed.")
    return 0
