"""The table of commands, and how one of them is run."""

from __future__ import annotations

import os
import signal
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from subprocess import call

from memlab import __version__
from memlab.cli.bootstrap import COMMAND, prepare, say
from memlab.errors import MemlabError
from memlab.text import visible

# By name: a module whose ``main`` gets the arguments and returns the exit
# status, and what the command does.
COMMANDS = {
    "lab": ("memlab.cli.lab", "open the course in JupyterLab"),
    "test": (
        "memlab.cli.test",
        "run the tests, compare every notebook's outputs",
    ),
    "reset": (
        "memlab.cli.reset",
        "get fresh copies of notebooks, and keep yours",
    ),
    "store": ("tests.notebooks.store", "for authors: store outputs"),
    "start": ("memlab.course.start", "begin with a later notebook"),
    "progress": (
        "memlab.course.gap_list",
        "list the gaps: passed, ours or todo",
    ),
    "chat": (
        "memlab.cli.chat",
        "talk to an agent that remembers",
    ),
    "dream": ("memlab.cli.dream", "tidy up a project's memory now"),
    "prompts": ("memlab.cli.prompts", "show how your prompts differ"),
    "bench": (
        "memlab.cli.bench",
        "ask a model under two versions of the prompts",
    ),
    "doctor": (
        "memlab.cli.doctor",
        "say what is wrong with a memory directory",
    ),
    "move": ("memlab.cli.move", "move a project's memory to its new path"),
    "why": (
        "memlab.cli.why",
        "say where each sentence of a memory came from",
    ),
}
# The packages that a command needs, if they are not the light ones. Three run
# on a bare Python, and set up what they need themselves.
NEEDS = {"lab": "", "test": "", "reset": "", "store": "course"}


def main(argv: Sequence[str]) -> int:
    """Run what was typed; returns the exit status."""
    name, *arguments = argv or ["--help"]
    return guarded(name, lambda: _start(name, arguments))


def guarded(name: str, action: Callable[[], int]) -> int:
    """Do what a command does; whatever ends it early is said in one line."""
    # a console that cannot show a character shows a question mark
    for stream in (sys.stdout, sys.stderr):
        getattr(stream, "reconfigure", lambda **_: None)(errors="replace")
    try:
        status = action()
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        say(f"{name} was stopped")
        return 130
    except BrokenPipeError:  # nobody reads the rest
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    except (MemlabError, OSError) as error:
        say(visible(" ".join(f"{name}: {error}".split())))
        return 2


def _start(name: str, arguments: list[str]) -> int:
    if name not in COMMANDS:
        print(f"memlab {__version__}\nusage: {COMMAND} COMMAND [--help]\n")
        for known, (_, about) in COMMANDS.items():
            print(f"  {known:10}{about}")
        return 0 if name in ("-h", "--help", "--version") else 2
    needs = NEEDS.get(name, "light")
    python = prepare(needs) if needs else sys.executable
    if python != sys.executable:
        return hand_over([python, "-m", "memlab", name, *arguments])
    status: int = import_module(COMMANDS[name][0]).main(arguments)
    return status


def hand_over(command: list[str], **variables: str) -> int:
    """Let another program go on in place of this one."""
    env = os.environ | variables
    if os.name == "posix":
        os.execve(command[0], command, env)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for the child
    return call(command, env=env)


def command_parser(name: str, about: str | None) -> ArgumentParser:
    """Make a command's parser; ``about`` is shown as it is laid out."""
    return ArgumentParser(
        prog=f"{COMMAND} {name}",
        description=about,
        formatter_class=RawDescriptionHelpFormatter,
    )


def project_parser(name: str, about: str | None) -> ArgumentParser:
    """Make the parser of a command that works on one project's folder."""
    parser = command_parser(name, about)
    text = "the project's folder (default: the current folder)"
    parser.add_argument("--project", type=Path, metavar="DIR", help=text)
    parser.set_defaults(project=Path.cwd())
    return parser
