"""``python3 -m memlab COMMAND``; ``memlab.cli.commands`` has the commands.

An old Python gets a message, because its version is checked before anything is
imported that it cannot parse.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036
    sys.exit(
        f"memlab: this is Python {sys.version_info[0]}.{sys.version_info[1]},"
        " and the course needs 3.11 or newer. Get one from"
        " https://www.python.org/downloads/ and start it by its own name, for"
        " example: python3.12 -m memlab lab"
    )

from memlab.cli.commands import main


def run() -> int:
    """Run the command that was typed; pip makes a program ``memlab`` of it."""
    return main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(run())
