"""Letta's idea (first called MemGPT): the agent pages its own memory, as an
operating system does.
"""

from __future__ import annotations

from memlab.landscape.history import Fact, Turn
from memlab.landscape.system import Judge, nearest

LIMIT = 2_000
"""The characters that fit into one block of core memory."""
NEWEST, FOUND = 10, 5


def page_out(
    block: list[str], line: str, limit: int
) -> tuple[list[str], list[str]]:
    """Return a block with one more line, and what moves to the archive: the
    oldest lines, as few as possible, or a line that is too long for any block.
    """
    if len(line) + 1 > limit:
        return block, [line]
    kept = [*block, line]
    archived = []
    while sum(len(each) + 1 for each in kept) > limit:
        archived.append(kept.pop(0))
    return kept, archived


class Letta:
    """Core memory is in every request, archival and recall memory (the
    conversation) have to be searched, and the agent moves text between them.

    The rules here keep opinions and facts about the world in core memory and
    page out the oldest. Left out: the agent's own judgement of what will be
    needed, its tool calls, and blocks that several agents share. The product
    is a whole runtime, in which the agent lives.
    """

    name = "Letta"

    def __init__(self, judge: Judge) -> None:
        self.calls = 0
        self.judge = judge
        self.core: dict[str, list[str]] = {"human": [], "project": []}
        self.archive: list[str] = []
        self.messages: list[str] = []
        self.facts: dict[str, Fact] = {}

    def remember(self, turn: Turn) -> None:
        """Let the agent react to a message by editing its memory."""
        self.calls += 1
        self.messages.append(str(turn))
        for fact in turn.facts:
            self.save(fact)

    def save(self, fact: Fact) -> None:
        """Put a fact where it belongs; what it corrects in core memory goes."""
        if fact.kind in ("experience", "observation"):
            self.archive.append(str(fact))
            return
        for lines in self.core.values():
            for line in list(lines):
                if self.judge(fact, self.facts[line]) == "corrects":
                    lines.remove(line)
        block = "human" if fact.kind == "opinion" else "project"
        self.facts[str(fact)] = fact
        self.core[block], moved = page_out(self.core[block], str(fact), LIMIT)
        self.archive += moved

    def recall(self, question: str) -> list[str]:
        """Return core memory, what two searches find, and the newest
        messages.
        """
        self.calls += 1
        texts = [*self.core["human"], *self.core["project"]]
        for place in (self.archive, self.messages):
            numbered = dict(enumerate(place))
            texts += [place[n] for n in nearest(question, numbered, FOUND)]
        return list(dict.fromkeys(texts + self.messages[-NEWEST:]))
