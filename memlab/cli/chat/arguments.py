"""What ``chat`` and ``dream`` have in common on the command line: the help's form, and a project.

Left out: the options of each.
"""

from __future__ import annotations

import argparse
from pathlib import Path


def project_parser(command: str, about: str | None) -> argparse.ArgumentParser:
    """Make a parser for a command that works on one project's folder, ``--project DIR``."""
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
