"""The files of this course, as one system among the others."""

from __future__ import annotations

from memlab.landscape.history import Fact, Turn
from memlab.landscape.system import Judge, matching
from memlab.memdir import index_for_prompt
from memlab.memdir.names import slug
from memlab.text import shorten

DESCRIPTION, RECALLED = 120, 5


class Files:
    """One file for each topic. The index is in every request, within its caps,
    and with it up to five files that share words with the question.

    As in extraction, only what Robin says is saved. A correction replaces the
    line that it corrects. Left out: the dream, the model that chooses files,
    and the disk. The topic is what a fact is about.
    """

    name = "files"

    def __init__(self, judge: Judge) -> None:
        self.calls = 0
        self.judge = judge
        self.files: dict[str, list[Fact]] = {}

    def remember(self, turn: Turn) -> None:
        """Save what Robin says."""
        if turn.who == "robin":
            self.calls += 1
            for fact in turn.facts:
                self.save(fact)

    def save(self, fact: Fact) -> None:
        """Replace the line that a fact corrects, or add the fact to the file
        on its topic.
        """
        for facts in self.files.values():
            for place, old in enumerate(facts):
                if self.judge(fact, old) == "corrects":
                    facts[place] = fact
                    return
        about = " ".join(name for name in fact.about if name != "Robin")
        topic = slug(about or shorten(fact.text, 50))
        self.files.setdefault(topic, []).append(fact)

    def recall(self, question: str) -> list[str]:
        """Return the index and the chosen files."""
        lines = {}
        for topic, facts in self.files.items():
            newest = "; ".join(str(fact) for fact in reversed(facts))
            description = shorten(newest, DESCRIPTION)
            lines[topic] = f"- [{topic}]({topic}.md) — {description}"
        self.calls += 1
        index = index_for_prompt("\n".join(lines.values())).prompt
        found = matching(question, lines, RECALLED)
        return [
            index,
            *("\n".join(map(str, self.files[each])) for each in found),
        ]
