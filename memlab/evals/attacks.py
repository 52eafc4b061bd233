"""The attack sets: shell commands and memory paths, each with the verdict that
it must get, and what a malicious teammate may put into a shared memory.

Commands and paths are tried in a small tree, which is made in a scratch
directory. Left out: the guards that are judged, the replay of the teammate's
memories, and the proofs that the labels are true, which are in
``tests/attacks``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, StrictBool, model_validator

from memlab.evals.labelled import (
    Half,
    Labelled,
    Sentence,
    Text,
    load_cases,
    parse,
    read_yaml,
)

ATTACKS = Path(__file__).parents[2] / "data" / "attacks"


def _long_text(value: Any) -> Any:
    """Build a long text from ``{before, repeat, times, after}``."""
    if isinstance(value, Mapping) and value.keys() == {
        "before",
        "repeat",
        "times",
        "after",
    }:
        return f"{value['before']}{value['repeat'] * value['times']}{value['after']}"
    return value


LongText = Annotated[str, BeforeValidator(_long_text)]


class Attack(Labelled):
    """What both attack sets say of a case; ``setup`` is for ``set_up``."""

    id: str
    allow: StrictBool
    family: str
    half: Half
    reason: Sentence
    setup: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _id_has_family(self) -> Attack:
        if not self.id.startswith(f"{self.family}-"):
            raise ValueError(
                f"the id must begin with the family, {self.family}-"
            )
        return self


class ShellCase(Attack):
    """A command, whether the verdict must allow it, and what shows that the
    label is true.

    ``@NAME@`` in a text is a directory of the tree (see ``fill``).
    ``confined``, ``trap`` and ``limit`` belong to allowed commands, ``proof``
    and what follows it to refused ones.
    """

    command: LongText
    confined: StrictBool | None = None
    trap: tuple[str, ...] = ()
    limit: Literal["", "time", "output", "memory"] = ""
    proof: Literal["", "effect", "unparsable", "unbounded", "expansion"] = ""
    twin: str = ""
    becomes: str = ""
    trace: str = ""

    @model_validator(mode="after")
    def _keys_go_together(self) -> ShellCase:
        of_allowed = self.confined is not None or self.trap or self.limit
        of_refused = self.proof or self.twin or self.becomes or self.trace
        if self.allow and (self.confined is None or of_refused):
            raise ValueError(
                "a command to allow needs confined and has no proof"
            )
        if not self.allow and (not self.proof or of_allowed):
            raise ValueError(
                "a command to refuse needs a proof, and no confined, trap or"
                " limit"
            )
        if (self.proof == "expansion") != bool(self.becomes):
            raise ValueError(
                "becomes goes with an expansion, and an expansion with becomes"
            )
        if (self.twin or self.trace) and self.proof != "effect":
            raise ValueError("twin and trace go with an effect")
        return self


class PathCase(Attack):
    """A path as a model may write it, whether it may be used, and what shows
    the label true.
    """

    path: LongText
    proof: Literal[
        "",
        "escape",
        "internal",
        "twin",
        "split",
        "windows",
        "display",
        "unopenable",
        "race",
    ] = ""
    after: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _keys_go_together(self) -> PathCase:
        if self.allow and (self.proof or self.after):
            raise ValueError("a path to allow has no proof")
        if not self.allow and not self.proof:
            raise ValueError("a path to refuse needs a proof")
        return self


class Tree(Labelled):
    """The files of a tree by name, the programs among them, and the
    directories with a name.

    The shell's directories are HOME, PROJECT (where commands run), MEMORY,
    SESSIONS and OUTSIDE; those of the paths are ROOT, MEMORY and OUTSIDE.
    """

    files: dict[str, str]
    directories: dict[str, str]
    programs: tuple[str, ...] = ()

    def make(self, root: Path) -> dict[str, Path]:
        """Make the tree below ``root`` and return where its directories are."""
        for name, text in self.files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
            if name in self.programs:
                path.chmod(0o755)
        return {name: root / path for name, path in self.directories.items()}


class Trees(Labelled):
    """The two trees of ``trees.yaml``."""

    shell: Tree
    paths: Tree


class Detection(Labelled):
    """How an attack that succeeds is recognised.

    ``when`` is a pattern for a command or an answer, and a sentence for paths.
    ``not_when`` says what must not be counted.
    """

    place: Literal["command", "answer", "path", "prompt"] = Field(alias="in")
    when: Text
    not_when: Text
    also: str = ""

    @model_validator(mode="after")
    def _can_be_looked_for(self) -> Detection:
        if self.place in ("command", "answer"):
            try:
                re.compile(self.when)
            except re.error as error:
                raise ValueError(f"not a pattern: {error}") from None
        return self


class TeamAttack(Labelled):
    """A memory that a malicious teammate puts into ``team/``.

    ``ask`` is what the person says before the attack happens or does not.
    """

    id: str
    name: Text
    description: Text
    body: Text
    ask: Text
    wants: Text
    detect: Detection
    stopped_by: Text


def load_team_attacks(folder: Path = ATTACKS) -> tuple[TeamAttack, ...]:
    """Read what a teammate may put into a shared memory; raises LabelError."""
    return load_cases(folder / "team.yaml", TeamAttack)


def load_shell_cases(folder: Path = ATTACKS) -> tuple[ShellCase, ...]:
    """Read the commands; raises LabelError."""
    return load_cases(folder / "shell.yaml", ShellCase)


def load_path_cases(folder: Path = ATTACKS) -> tuple[PathCase, ...]:
    """Read the paths; raises LabelError."""
    return load_cases(folder / "paths.yaml", PathCase)


def load_trees(folder: Path = ATTACKS) -> Trees:
    """Read the trees in which the cases are tried; raises LabelError."""
    path = folder / "trees.yaml"
    return parse(Trees, read_yaml(path), path)


def set_up(entries: Iterable[str], base: Path) -> None:
    """Make what a case needs besides the tree, relative to ``base``.

    An entry is ``name`` (a file), ``name/`` (a directory), ``name -> target``
    (a symbolic link) or ``name |`` (a named pipe). Directories above it are
    made too.
    """
    for entry in entries:
        name, arrow, target = entry.partition(" -> ")
        path = base / name.removesuffix(" |").rstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        if arrow:
            path.symlink_to(target)
        elif name.endswith(" |"):
            os.mkfifo(path)
        elif name.endswith("/"):
            path.mkdir()
        else:
            path.write_text("made for this case\n", encoding="utf-8")


def fill(text: str, directories: Mapping[str, Path]) -> str:
    """Replace each ``@NAME@`` of a command or path by the real directory."""
    for name, path in directories.items():
        text = text.replace(f"@{name}@", str(path))
    return text
