"""Fill in our solutions for the parts of earlier notebooks that have not
passed, so that you can begin with a later notebook.

What has passed stays as it is. Before the file is changed, a copy of it is kept.

examples:
  python3 -m memlab start 07    begin with notebook 07
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence

from memlab.course.data_files import notebook_numbers
from memlab.course.exercise_files import all_gaps, find_exercise
from memlab.course.gap_list import fill_in
from memlab.course.my_parts import my, parts_path, shown_parts_path
from memlab.course.parts_file import (
    Section,
    keep_copy,
    read_parts_file,
    write_parts_file,
)
from memlab.errors import CourseError, MemlabError


def start(number: int) -> tuple[list[str], str]:
    """Fill in what is missing before a notebook; gives the names of the parts
    that were filled in, and the name of the copy of the previous file, if
    there was one. Raises CourseError for a notebook that does not exist.
    """
    numbers = notebook_numbers()
    if number not in numbers:
        raise CourseError(
            f"there is no notebook {number:02d}",
            do=f"Give a number from {numbers[0]:02d} to {numbers[-1]:02d}",
        )
    file = read_parts_file(parts_path())
    filled, copy = [], ""
    for gap in all_gaps():
        exercise = find_exercise(gap.name)
        if (
            exercise is None
            or gap.planned
            or gap.notebook >= number
            or file.get(gap.name)
        ):
            continue
        section = Section(
            gap.name, gap.notebook, exercise.solution.strip(), by="ours"
        )
        file = file.with_section(section)
        filled.append(gap.name)
    if filled:
        path = parts_path()
        if path.exists():
            copy = keep_copy(path).name
        write_parts_file(path, file)
    return filled + fill_in(number), copy


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
        # a file that cannot be read is set aside here
        for problem in my.load():
            print(problem)
        filled, copy = start(int(given))
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
    print(
        f"They are in {shown_parts_path()}. Your own parts were not changed."
    )
    if copy:
        print(f"The previous version of the file is kept as {copy}.")
    return 0
