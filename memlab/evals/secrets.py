"""How many secrets the store keeps out of a team's memory, and how many
ordinary memories it refuses by mistake.

Every text is written into ``team/`` by the real store. The other checks are
left out, because they might refuse the same text for another reason. The
format of a case is described in ``data/labelled/secrets/README.md``.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memlab.errors import MemoryRefusedError
from memlab.evals.labelled import Label
from memlab.memdir.memory import Memory, MemoryType, format_memory
from memlab.memdir.places import INDEX
from memlab.memdir.rules import Finding
from memlab.memdir.store import MemoryStore
from memlab.text import fold_space

Place = Literal["body", "name", "description", "index line"]
PLACES: tuple[Place, ...] = ("body", "name", "description", "index line")


@dataclass(frozen=True)
class Outcome:
    """What became of one text.

    ``refusal`` is the message of the store, "" if it wrote the text.
    ``leaked`` says where the secret was found although the text was refused:
    in the message, or on the disk.
    """

    refusal: str = ""
    leaked: tuple[str, ...] = ()

    @property
    def refused(self) -> bool:
        """Whether the store refused the text for a secret."""
        return bool(self.refusal)


@dataclass(frozen=True)
class Figures:
    """The outcomes of one half."""

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
            "ordinary": len(self.ordinary),
            "false alarms": sum(one.refused for one in self.ordinary),
        }


def measure(
    half: str,
    secrets: Iterable[Label],
    ordinary: Iterable[Label],
    place: Place = "body",
) -> Figures:
    """Write every text of one half into a team's memory of its own half."""
    with tempfile.TemporaryDirectory(prefix="memlab-secrets-") as folder:
        team = _Team(Path(folder), place)
        return Figures(
            tuple(team.judge(case) for case in secrets if case.half == half),
            tuple(team.judge(case) for case in ordinary if case.half == half),
        )


class NoRules(MemoryStore):
    """A store without the rules of what is worth keeping; it refuses
    secrets.
    """

    def check(
        self, memory: Memory, others: Sequence[Memory], known: str
    ) -> Sequence[Finding]:
        """Find nothing."""
        return ()


class _Team:
    """A memory directory, and the place of a team's memory where the texts
    are written.
    """

    def __init__(self, directory: Path, place: Place) -> None:
        self.directory = directory
        self.place = place
        self.store = NoRules(directory, durable=False)

    def judge(self, case: Label) -> Outcome:
        """Write one text, and look at what is left of its secret."""
        refusal = ""
        try:
            self._write(case.id, case.text)
        except MemoryRefusedError as error:
            if error.rule != "secret":
                raise
            refusal = str(error)
        if "secret" not in case:
            return Outcome(refusal)
        leaked = []
        if refusal:
            if case.secret in refusal:
                leaked.append("the message")
            leaked += self._files_with(case.secret)
        return Outcome(refusal, tuple(leaked))

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
