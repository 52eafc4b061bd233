"""How many secrets the store keeps out of a team's memory, and how many
ordinary memories it refuses by mistake.

Run as ``python -m memlab.evals.secrets``; with ``--final`` it measures the
half *final* as well. Every text is written into ``team/`` by the real store.
The other checks are left out, because they might refuse the same text for
another reason. The format of a case is described in
``data/labelled/secrets/README.md``.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memlab.errors import MemoryRefusedError
from memlab.evals.command import in_one_sentence
from memlab.evals.labelled import (
    HALVES,
    OrdinaryText,
    SecretCase,
    load_ordinary,
    load_secrets,
)
from memlab.memdir.files import UnsyncedFiles
from memlab.memdir.index import INDEX
from memlab.memdir.memory import Memory, MemoryType, format_memory
from memlab.memdir.secrets import remove_secrets
from memlab.memdir.store import MemoryStore
from memlab.text import fold_space

Place = Literal["body", "name", "description", "index line"]
PLACES: tuple[Place, ...] = ("body", "name", "description", "index line")

CLASSES: Mapping[str, range] = {
    "service keys": range(1, 16),
    "URLs and headers": range(16, 28),
    "prose": range(28, 41),
    "key material": range(41, 51),
    "config and code": range(51, 61),
}
"""The numbers of the cases in each class, in the order of the file."""


@dataclass(frozen=True)
class Outcome:
    """What became of one text.

    ``refusal`` is the message of the store, "" if it wrote the text.
    ``leaked`` says where the secret was found although the text was refused:
    in the message, or on the disk. ``removed`` says whether ``remove_secrets``
    leaves nothing of the secret, which matters for tapes and not for the
    store.
    """

    case: SecretCase | OrdinaryText
    refusal: str = ""
    leaked: tuple[str, ...] = ()
    removed: bool = False

    @property
    def refused(self) -> bool:
        """Whether the store refused the text for a secret."""
        return bool(self.refusal)


@dataclass(frozen=True)
class Figures:
    """The outcomes of one half."""

    half: str
    secrets: tuple[Outcome, ...]
    ordinary: tuple[Outcome, ...]

    @property
    def row(self) -> dict[str, int]:
        """Return every count by its name."""
        return {
            "secrets": len(self.secrets),
            "stopped": sum(one.refused for one in self.secrets),
            "repeated or left on the disk": sum(
                bool(one.leaked) for one in self.secrets
            ),
            "removed from tapes": sum(one.removed for one in self.secrets),
            "ordinary": len(self.ordinary),
            "false alarms": sum(one.refused for one in self.ordinary),
        }

    def stopped_by_class(self) -> dict[str, tuple[int, int]]:
        """Return, by class, how many secrets were stopped, and of how many."""
        counts = {}
        for name, numbers in CLASSES.items():
            outcomes = [
                one
                for one in self.secrets
                if int(one.case.id.lstrip("s")) in numbers
            ]
            stopped = sum(one.refused for one in outcomes)
            counts[name] = (stopped, len(outcomes))
        return counts


def measure(
    half: str,
    secrets: Iterable[SecretCase],
    ordinary: Iterable[OrdinaryText],
    place: Place = "body",
) -> Figures:
    """Write every text of one half into a team's memory of its own half."""
    with tempfile.TemporaryDirectory(prefix="memlab-secrets-") as folder:
        team = _Team(Path(folder), place)
        return Figures(
            half,
            tuple(team.judge(case) for case in secrets if case.half == half),
            tuple(team.judge(case) for case in ordinary if case.half == half),
        )


class _Team:
    """A memory directory, and the place of a team's memory where the texts
    are written.
    """

    def __init__(self, directory: Path, place: Place) -> None:
        self.directory = directory
        self.place = place
        self.store = MemoryStore(
            directory,
            files=UnsyncedFiles(directory),
            checks=lambda memory, **known: (),
        )

    def judge(self, case: SecretCase | OrdinaryText) -> Outcome:
        """Write one text, and look at what is left of its secret."""
        refusal = ""
        try:
            self._write(case.id, case.text)
        except MemoryRefusedError as error:
            if error.rule != "secret":
                raise
            refusal = str(error)
        if not isinstance(case, SecretCase):
            return Outcome(case, refusal)
        leaked = []
        if refusal:
            if case.secret in refusal:
                leaked.append("the message")
            leaked += self._files_with(case.secret)
        removed = case.secret not in remove_secrets(case.text)
        return Outcome(case, refusal, tuple(leaked), removed)

    def _write(self, case: str, text: str) -> None:
        line = fold_space(text)
        if self.place == "index line":
            # an index keeps the lines that point to memories
            pointed = f"team/note-{case}.md"
            self.store.write_text(pointed, _memory(case))
            index = f"- [Note {case}](note-{case}.md) — {line}\n"
            self.store.write_text(f"team/{INDEX}", index)
            return
        parts = {
            "body": _memory(case, body=text),
            "name": _memory(case, name=line),
            "description": _memory(case, description=line),
        }
        self.store.write_text(f"team/note-{case}.md", parts[self.place])

    def _files_with(self, secret: str) -> list[str]:
        value = secret.encode()
        return [
            path.relative_to(self.directory).as_posix()
            for path in sorted(self.directory.rglob("*"))
            if path.is_file() and value in path.read_bytes()
        ]


def _memory(
    case: str,
    *,
    name: str = "",
    description: str = "what the team noted",
    body: str = "The team's notes.",
) -> str:
    memory = Memory(
        name or f"Note {case}", description, MemoryType.reference, body
    )
    return format_memory(memory)


def table(figures: Sequence[Figures]) -> str:
    """Write the counts as a Markdown table, one row per half."""
    names = list(figures[0].row)
    lines = [
        "| half | " + " | ".join(names) + " |",
        "| --- |" + " ---: |" * len(names),
    ]
    for half in figures:
        counts = " | ".join(map(str, half.row.values()))
        lines.append(f"| {half.half} | {counts} |")
    return "\n".join(lines)


def class_table(figures: Sequence[Figures]) -> str:
    """Write how many secrets of each class were stopped, one column per half."""
    halves = [half.half for half in figures]
    lines = [
        "| class | " + " | ".join(halves) + " |",
        "| --- |" + " ---: |" * len(halves),
    ]
    counts = [half.stopped_by_class() for half in figures]
    for name in CLASSES:
        cells = [f"{half[name][0]} of {half[name][1]}" for half in counts]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def mistakes(figures: Figures) -> list[str]:
    """Name each secret that was written, and each ordinary text that was
    refused.
    """
    lines = []
    for outcome in figures.secrets:
        if isinstance(outcome.case, SecretCase) and not outcome.refused:
            lines.append(f"{outcome.case.id}: written: {outcome.case.kind}")
    for outcome in figures.ordinary:
        if outcome.refused:
            lines.append(f"{outcome.case.id}: refused: {outcome.refusal}")
    return lines


@in_one_sentence()
def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; ``--mistakes`` lists the mistakes on *work*."""
    parser = argparse.ArgumentParser(prog="python -m memlab.evals.secrets")
    parser.add_argument(
        "--final", action="store_true", help="measure the half 'final' as well"
    )
    parser.add_argument(
        "--mistakes", action="store_true", help="list the mistakes on 'work'"
    )
    parser.add_argument(
        "--place",
        choices=PLACES,
        default="body",
        help="where in a memory the text is (default: body)",
    )
    chosen = parser.parse_args(arguments)
    halves = HALVES if chosen.final else HALVES[:1]
    secrets, ordinary = load_secrets(), load_ordinary()
    figures = [
        measure(half, secrets, ordinary, chosen.place) for half in halves
    ]
    print(table(figures))
    print()
    print(class_table(figures))
    if chosen.mistakes:
        print()
        print("\n".join(mistakes(figures[0])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
