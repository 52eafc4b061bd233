"""The table of subcommands, from which the help and the choice of what runs
are derived.

A ``BareCommand`` runs on any Python, because it makes the environment itself.
An ``InstalledCommand`` needs packages, so it runs as a child process in an
environment that has them, and reads its options there. If pip installed memlab
without a clone, it has installed these packages as well; only the commands
that read nothing of the course run there.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from memlab import __version__
from memlab.cli import lab, reset, store, test
from memlab.cli.setup.clone import Clone, find_clone
from memlab.cli.setup.console import COMMAND, Problem
from memlab.cli.setup.interpreter import prepare_light
from memlab.cli.setup.process import environment, run_child


@dataclass(frozen=True)
class BareCommand:
    """A command of the standard library alone."""

    name: str
    help: str
    examples: dict[str, str]
    """What is typed after the name, and what that does."""
    add_options: Callable[[ArgumentParser], None]
    run: Callable[[Clone, Namespace], int]


@dataclass(frozen=True)
class InstalledCommand:
    """A command whose module is imported only where its packages are
    installed.
    """

    name: str
    help: str
    examples: dict[str, str]
    module: str
    """Its ``main`` takes the arguments and gives the exit status."""
    packages: tuple[str, ...] = ()
    """The packages that it needs; empty means all of the light ones."""
    needs_clone: bool = True
    """Whether it reads more than the package: the notebooks or the data."""


COMMANDS: tuple[BareCommand | InstalledCommand, ...] = (
    BareCommand(
        "lab",
        "Set up what is missing, copy the notebooks to my/ and open JupyterLab"
        " on them.",
        {
            "": "start the course: opens the first notebook",
            "--port 9000 --no-browser": "use port 9000, print the address",
            "--wheels ../wheels": "install from a folder, without a network",
        },
        lab.add_options,
        lab.run,
    ),
    BareCommand(
        "test",
        "Set up what is missing, run the tests and compare every notebook's"
        " outputs.",
        {
            "": "run the tests, compare every output",
            "--all": "everything that a change has to pass",
        },
        test.add_options,
        test.run,
    ),
    BareCommand(
        "reset",
        "Replace copies in my/ with fresh ones; yours move to my/.replaced/.",
        {"03": "get a fresh copy of notebook 03"},
        reset.add_options,
        reset.run,
    ),
    BareCommand(
        "store",
        "For authors: without arguments, say which stored outputs are out of"
        " date and why; otherwise run notebooks and store their outputs.",
        {"": "for authors: list the outputs that are out of date"},
        store.add_options,
        store.run,
    ),
    InstalledCommand(
        "start",
        "Fill in our solutions for the earlier notebooks, to begin with a"
        " later one.",
        {"07": "begin with notebook 07"},
        "memlab.course.start",
    ),
    InstalledCommand(
        "progress",
        "List every gap of the course, and say which have passed.",
        {
            "": "list every gap: passed, ours or todo",
        },
        "memlab.course.gap_list",
    ),
    InstalledCommand(
        "chat",
        "Talk to an agent that remembers, about a project of yours.",
        {
            "": "talk to an agent that remembers",
            '--print "…"': "answer one message, for scripts",
        },
        "memlab.cli.chat",
        needs_clone=False,
    ),
    InstalledCommand(
        "dream",
        "Tidy up a project's memory now; asks before it changes anything.",
        {"--dry-run": "show what a dream would change"},
        "memlab.cli.dream",
        needs_clone=False,
    ),
    InstalledCommand(
        "prompts",
        "List the prompts that memlab sends, or show how yours differ.",
        {"diff": "show what you changed in memlab's prompts"},
        "memlab.cli.prompts",
        needs_clone=False,
    ),
    InstalledCommand(
        "bench",
        "Ask a model labelled cases under two versions of the prompts, and see"
        " what changed.",
        {
            "select --prompts base,mine --model live": (
                "compare your prompts with memlab's"
            ),
        },
        "memlab.cli.bench",
    ),
    InstalledCommand(
        "doctor",
        "Say what is wrong with a memory directory; changes nothing.",
        {"DIR": "say what is wrong with a memory directory"},
        "memlab.cli.doctor",
        packages=("pyyaml",),
        needs_clone=False,
    ),
    InstalledCommand(
        "move",
        "Move a project's memory after its folder was renamed or moved.",
        {"OLD NEW": "move a project's memory to its new path"},
        "memlab.cli.move",
        needs_clone=False,
    ),
    InstalledCommand(
        "why",
        "Say where each sentence of a memory came from.",
        {"FILE": "say where each sentence of a memory came from"},
        "memlab.cli.why",
        packages=("pyyaml",),
        needs_clone=False,
    ),
)


def main(argv: Sequence[str]) -> int:
    """Run one command; returns the exit status."""
    named = [
        command for command in COMMANDS if list(argv[:1]) == [command.name]
    ]
    if named and isinstance(named[0], InstalledCommand):
        return _run_installed(named[0], argv[1:])
    args = parser().parse_args(argv)
    command: BareCommand = args.command
    return command.run(find_clone(), args)


def parser() -> ArgumentParser:
    """Describe the commands and their options."""
    top = ArgumentParser(
        prog=COMMAND,
        description=(
            "A course in Jupyter notebooks on how a coding agent remembers."
        ),
        epilog=_examples(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    top.add_argument(
        "--version", action="version", version=f"memlab {__version__}"
    )
    names = top.add_subparsers(required=True, metavar="command")
    for command in COMMANDS:
        subparser = names.add_parser(
            command.name,
            help=command.help,
            description=command.help,
            allow_abbrev=False,
        )
        subparser.set_defaults(command=command)
        if isinstance(command, BareCommand):
            command.add_options(subparser)
    return top


def _examples() -> str:
    """List every row's examples, set in two columns."""
    typed = {
        f"{COMMAND} {command.name} {arguments}".rstrip(): text
        for command in COMMANDS
        for arguments, text in command.examples.items()
    }
    width = max(map(len, typed))
    lines = [f"  {line.ljust(width)}  {text}" for line, text in typed.items()]
    anywhere = [
        command.name
        for command in COMMANDS
        if isinstance(command, InstalledCommand) and not command.needs_clone
    ]
    note = textwrap.fill(
        f"If memlab was installed without the course, {', '.join(anywhere)}"
        " run; the other commands need a clone of the project.",
        78,
    )
    return "\n".join(["examples:", *lines, "", note])


def _run_installed(command: InstalledCommand, rest: Sequence[str]) -> int:
    argv = [
        _python_for(command),
        "-m",
        "memlab.cli.installed",
        command.name,
        command.module,
        *rest,
    ]
    return run_child(argv, cwd=Path.cwd(), env=environment())


def _python_for(command: InstalledCommand) -> str:
    try:
        clone = find_clone()
    except Problem:
        if command.needs_clone:
            raise
        return sys.executable
    # what the command prints may be read by a program
    with redirect_stdout(sys.stderr):
        return prepare_light(clone, command.packages).python
