"""The command line: ``python3 -m memlab lab | test | reset | store``.

Checks the Python version before it imports anything an old Python cannot parse, reads the arguments
and hands over to ``memlab.cli.setup``. What a command does is described there.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036
    sys.exit(
        f"memlab: this is Python {sys.version_info[0]}.{sys.version_info[1]}, and the course needs "
        "3.11 or newer. Get one from https://www.python.org/downloads/ and start it by its own "
        "name, for example: python3.12 -m memlab lab"
    )

import argparse
from contextlib import redirect_stdout
from pathlib import Path

from memlab import __version__
from memlab.cli import copies, lab, store
from memlab.cli import testing as checks
from memlab.cli.setup import interpreter
from memlab.cli.setup.place import find_clone
from memlab.cli.setup.process import environment, run
from memlab.cli.setup.say import COMMAND, guarded

# Commands that run in a light environment, without Jupyter: name -> (module and first arguments,
# what it does).
INSIDE: dict[str, tuple[str, str]] = {
    "chat": (
        "memlab.cli.chat.start chat",
        "Talk to an agent that remembers, about a project of yours.",
    ),
    "dream": (
        "memlab.cli.chat.start dream",
        "Tidy up a project's memory now; asks before it changes anything.",
    ),
    "doctor": (
        "memlab.cli.chat.start doctor",
        "Say what is wrong with a memory directory; changes nothing.",
    ),
}

# The packages that such a command needs, where these are not all of the light ones.
NEEDS: dict[str, tuple[str, ...]] = {"doctor": ("pyyaml",)}

EXAMPLES = f"""examples:
  {COMMAND} lab                           start the course: opens the first notebook
  {COMMAND} lab --port 9000 --no-browser  use port 9000, print the address
  {COMMAND} test                          run the tests, compare every output
  {COMMAND} test --all                    everything that a change has to pass
  {COMMAND} reset 03                      get a fresh copy of notebook 03
  {COMMAND} store                         for authors: list the outputs that are out of date
  {COMMAND} chat                          talk to an agent that remembers
  {COMMAND} dream --dry-run               show what a dream would change
  {COMMAND} doctor DIR                    say what is wrong with a memory directory
"""


def parser() -> argparse.ArgumentParser:
    """Describe the commands and their options."""
    top = argparse.ArgumentParser(
        prog=COMMAND,
        description="A course in Jupyter notebooks on how a coding agent remembers.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"memlab {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="command")

    def add(name: str, text: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=text, description=text, allow_abbrev=False)

    one = add(
        "lab", "Set up what is missing, copy the notebooks to my/ and open JupyterLab on them."
    )
    one.add_argument(
        "--port",
        type=_port,
        metavar="N",
        help="serve on this port (default: the first free one from 8888 on)",
    )
    one.add_argument(
        "--no-browser", action="store_true", help="print the address, but open no browser"
    )
    one.add_argument(
        "--prepare", action="store_true", help="set everything up, but do not start JupyterLab"
    )
    two = add("test", "Set up what is missing, run the tests and compare every notebook's outputs.")
    two.add_argument(
        "--all", action="store_true", help="also run linters, type checks, slow tests and a browser"
    )
    for command in (one, two):
        command.add_argument(
            "--here", action="store_true", help="use this Python as it is and install nothing"
        )
    three = add("reset", "Replace copies in my/ with fresh ones; yours move to my/.replaced/.")
    three.add_argument("notebooks", nargs="*", metavar="NN", help="the notebooks' numbers")
    three.add_argument("--all", action="store_true", help="every notebook")
    three.add_argument("--yes", action="store_true", help="do not ask for confirmation")
    four = add(
        "store",
        "For authors: without arguments, say which stored outputs are out of date and why; "
        "otherwise run notebooks and store their outputs.",
    )
    four.add_argument("notebooks", nargs="*", metavar="NN", help="run and store these notebooks")
    four.add_argument("--changed", action="store_true", help="run and store what is out of date")
    four.add_argument("--all", action="store_true", help="run and store every notebook")
    four.add_argument(
        "--here", action="store_true", help="use this Python as it is and install nothing"
    )
    for name, (_, text) in INSIDE.items():
        add(name, text)
    return top


def main(argv: list[str]) -> int:
    """Run one command; gives the exit status."""
    if argv and argv[0] in INSIDE:
        return _inside(argv[0], argv[1:])
    args = parser().parse_args(argv)
    clone = find_clone()
    if args.command == "reset":
        return copies.reset(clone, args.notebooks, everything=args.all, sure=args.yes)
    if args.command == "lab":
        return lab.lab(
            clone,
            port=args.port,
            browser=not args.no_browser,
            here=args.here,
            prepare=args.prepare,
        )
    if args.command == "store":
        return store.store(
            clone, args.notebooks, changed=args.changed, everything=args.all, here=args.here
        )
    return checks.test(clone, everything=args.all, here=args.here)


def _inside(name: str, rest: list[str]) -> int:
    module, _ = INSIDE[name]
    with redirect_stdout(sys.stderr):  # what the command prints may be read by a program
        chosen = interpreter.prepare_light(find_clone(), NEEDS.get(name, ()))
    command = [chosen.python, "-m", *module.split(), *rest]
    return run(command, cwd=Path.cwd(), env=environment())


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port; choose a number from 1 to 65535")
    return int(text)


if __name__ == "__main__":
    sys.exit(guarded(lambda: main(sys.argv[1:])))
