"""What hostile and plentiful memories cost: secrets, near-duplicates, writes.

Prints one line per measurement, in seconds of processor time. Other work on the machine does not
count, and neither does waiting for the disk: the store's fsyncs are left out.

Run: ``python -m tests.benchmarks.hostile``
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from memlab.memdir.doctor import diagnose
from memlab.memdir.memory import Memory
from memlab.memdir.rules import Finding
from memlab.memdir.secrets import find_secrets
from memlab.memdir.store import MemoryStore

CHARACTERS = 1_000_000
# What each hostile text repeats, from its first to its last character.
UNITS = (
    *("a", "A1", "1", " ", "\n", "\n ", "-", ".", ":", "/", '"', "`", "*", "_", "\t"),
    *("a ", "a1-", "token=1", "token=", "token:", "token is ", "password", "password:*"),
    *("password is 1-", "passwordpassword ", "secret:secret ", "eyJ-", "eyJabcdefghijk."),
    *("://a:", "curl -u a", "xoxb-", ".sk-", "Bearer 1", "PIN is 1", "p a s s ", "pass\xadword: 1"),
    *("clé API est ", "contraseña es a1", "Passwort lautet ", "changed password to a", "» «"),
)
SENTENCE = (
    "The {0} of the {1} is checked by the {2} before the {3} leaves the harbour in the morning."
)
NOUNS = ("rope", "sail", "lamp", "rudder", "anchor", "crew", "pilot", "warden", "ferry", "barge")


def memory_text(number: int, *, similar: bool) -> str:
    """Give a small memory, much like all others or made of words of its own."""
    chance = random.Random(number)
    if similar:
        body = SENTENCE.format(*(chance.choice(NOUNS) for _ in range(4)))
    else:
        body = " ".join(f"{chance.choice(NOUNS)}{chance.randrange(5_000)}" for _ in range(16)) + "."
    name = f"Memory number {number}"
    return f"---\nname: {name}\ndescription: {body[:60]}\ntype: user\n---\n\n{body}\n"


def make_files(directory: Path, count: int, *, similar: bool) -> None:
    """Write so many memories, without a store."""
    for number in range(count):
        text = memory_text(number, similar=similar)
        (directory / f"memory-{number:05}.md").write_text(text, "utf-8")


def seconds(work: Callable[[], object]) -> float:
    """Give the processor time of one run."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def hostile_secrets(characters: int) -> tuple[float, str]:
    """Give the slowest of the hostile texts, and what it repeats."""
    worst = (0.0, "")
    for unit in UNITS:
        text = (unit * (characters // len(unit) + 1))[:characters]
        worst = max(worst, (seconds(lambda text=text: find_secrets(text)), unit))  # type: ignore[misc]
    return worst


def examine(count: int, *, similar: bool) -> float:
    """Give the seconds that the doctor takes."""
    with tempfile.TemporaryDirectory() as name:
        make_files(Path(name), count, similar=similar)
        return seconds(lambda: diagnose(name, now=datetime.now(UTC)))


class Lenient(MemoryStore):
    """Asks all rules, and refuses nothing: much alike is what is measured."""

    def check(self, memory: Memory, others: Sequence[Memory], known: str) -> Sequence[Finding]:
        found = super().check(memory, others, known)
        return [replace(one, severity="flag") for one in found]


def writes(count: int, number: int, *, similar: bool) -> tuple[float, float]:
    """Give the seconds of the first of so many writes beside ``count`` files, and of all."""
    with tempfile.TemporaryDirectory() as name:
        make_files(Path(name), count, similar=similar)
        store = Lenient(name, durable=False)
        each = []
        for at in range(count, count + number):
            text = memory_text(at, similar=similar)
            file = f"memory-{at:05}.md"
            each.append(seconds(lambda file=file, text=text: store.write_text(file, text)))  # type: ignore[misc]
        return each[0], sum(each)


def main() -> int:
    """Print the table."""
    rows: list[tuple[str, float, str]] = []
    worst, unit = hostile_secrets(CHARACTERS)
    rows.append((f"secrets, slowest of {len(UNITS)} texts of 1 MB", worst, repr(unit)))
    for similar in (False, True):
        kind = "similar" if similar else "different"
        rows.append((f"doctor, 2,000 {kind} memories", examine(2_000, similar=similar), ""))
        rows.append((f"doctor, 10,000 {kind} memories", examine(10_000, similar=similar), ""))
        first, every = writes(2_000, 21, similar=similar)
        rows.append((f"first write beside 2,000 {kind} memories", first, ""))
        rows.append(("each of the next twenty", (every - first) / 20, ""))
        _, every = writes(0, 582, similar=similar)
        rows.append((f"582 writes of small {kind} memories", every, ""))
    for what, took, more in rows:
        print(f"{what:52} {took:9.3f} s  {more}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
