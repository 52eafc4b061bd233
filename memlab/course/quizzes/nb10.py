"""The quiz of notebook 10: who judges a dream, what stops it, what brings things back."""

from __future__ import annotations

from memlab.course.quiz_sheet import Ask, Option, Quiz

QUIZ = Quiz(
    10,
    (
        Ask(
            "Why does a dream work on a copy of the memory?",
            (
                Option(
                    "A copy in a temporary folder is faster to write.",
                    False,
                    "It costs time. What it buys is that nothing is changed before the review.",
                ),
                Option(
                    "So that it can be reviewed, refused or stopped before anything has changed.",
                    True,
                    "All that the real directory ever sees is one commit at the end.",
                ),
                Option(
                    "So that the dreamer does not learn where the memory is.",
                    False,
                    "It is told the real path, and its tools lead that path to the copy.",
                ),
            ),
        ),
        Ask(
            "A tombstone says: superseded by sql-first.md. What does the review make of it?",
            (
                Option(
                    "It believes it, since the dreamer has read both files.",
                    False,
                    "Whoever proposes a removal does not judge it.",
                ),
                Option(
                    "It asks a second model.",
                    False,
                    "No model is asked: the words of the one are looked for in the others.",
                ),
                Option(
                    "It looks whether most of what the file says is found again, and refuses else.",
                    True,
                    "A claim about content can be checked by code.",
                ),
            ),
        ),
        Ask(
            "And one that says: stale because the season is over?",
            (
                Option(
                    "Code cannot tell whether that is so: it is listed, for a person to see.",
                    True,
                    "The receipt tells what would be lost, and you can say no.",
                ),
                Option(
                    "It is refused, since the content is found nowhere.",
                    False,
                    "Then nothing could ever be forgotten. A reason is enough to be listed.",
                ),
                Option(
                    "It is carried out, and nobody is told.",
                    False,
                    "Every removal stands in the receipt, and in the journal afterwards.",
                ),
            ),
        ),
        Ask(
            "While you read the receipt, the main agent corrects one of the files. You accept all.",
            (
                Option(
                    "The dream's version wins, because you accepted it.",
                    False,
                    "You accepted it without knowing of the correction.",
                ),
                Option(
                    "That file stays as the agent left it, and the receipt says so.",
                    True,
                    "The other changes are carried out if they do not rest on it.",
                ),
                Option(
                    "The whole dream fails.",
                    False,
                    "Each change stands for itself.",
                ),
            ),
        ),
        Ask(
            "The dream committed yesterday, and you miss a memory today. What now?",
            (
                Option(
                    "The dreamer has to be asked what stood in it.",
                    False,
                    "It would invent it. The journal has the bytes.",
                ),
                Option(
                    "It is gone: a commit is final.",
                    False,
                    "A commit is a line in the journal, with images from before and after.",
                ),
                Option(
                    "Undo takes the whole night back, as one change.",
                    True,
                    "Bytes and times as before; and the undo can be undone.",
                ),
            ),
        ),
    ),
)
