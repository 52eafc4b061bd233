"""Right answers to the gaps of notebook 07, written from its text alone."""

import os
import shlex
import string
from pathlib import PurePath


def is_inside(path, folder):
    place = PurePath(os.path.realpath(path))
    root = PurePath(os.path.realpath(folder))
    return root == place or root in place.parents


def may_write(path: str, memory: str) -> bool:
    here = [name for name in os.path.realpath(path).split(os.sep) if name]
    root = [name for name in os.path.realpath(memory).split(os.sep) if name]
    if len(here) <= len(root) or here[: len(root)] != root:
        return False
    *between, name = here[len(root) :]
    return ".memlab" not in between and name[-3:] == ".md" and len(name) > 3


def is_read_only_command(command: str, options: dict) -> bool:
    if len(command) > 4000:
        return False
    if set(command) - set(string.ascii_letters + string.digits + " ._-/,:=|'\""):
        return False
    for stage in command.split("|"):
        try:
            words = shlex.split(stage)
        except ValueError:
            return False
        if not words or words[0] not in options:
            return False
        known = options[words[0]]
        for word in words[1:]:
            if word.startswith("-") and word not in known:
                return False
    return True
