"""The quiz of notebook 06: why a fork is cheap, what would make it dear, and what it may do."""

from __future__ import annotations

from memlab.course.quiz_sheet import Ask, Option, Quiz

QUIZ = Quiz(
    6,
    (
        Ask(
            "A fork may not run most of what Bash runs. Why does it still get Bash in its list?",
            (
                Option(
                    "The tool list is part of the prefix: one tool fewer, and nothing is read.",
                    True,
                    "So the refusal comes when the tool is used, as a result the model reads.",
                ),
                Option(
                    "Because a model without Bash answers worse.",
                    False,
                    "That may be, and it is not the reason: the cache compares the list.",
                ),
                Option(
                    "Because the list cannot be changed in the SDK.",
                    False,
                    "It can, in every request. That is why it has to be left alone.",
                ),
            ),
        ),
        Ask(
            "What of a fork's first request is not read from the cache?",
            (
                Option(
                    "The whole conversation, as in any request.",
                    False,
                    "What the parent has sent before is read, at a tenth of the price.",
                ),
                Option(
                    "What stands behind the parent's last mark: its answer and the prompt.",
                    True,
                    "And its own later calls add what its tools answered.",
                ),
                Option(
                    "Nothing is left to pay: the cache holds the answer too.",
                    False,
                    "A cache holds what was sent, and never what will be answered.",
                ),
            ),
        ),
        Ask(
            "A memory appears in the middle of a session. Where does its pointer go?",
            (
                Option(
                    "Into the system prompt, at once.",
                    False,
                    "Every message behind it would have to be paid for again.",
                ),
                Option(
                    "Nowhere before the next session.",
                    False,
                    "The session that made it may need it.",
                ),
                Option(
                    "Into the next message, as an attachment.",
                    True,
                    "What comes last breaks no prefix.",
                ),
            ),
        ),
        Ask(
            "What of a fork stands in the session's transcript?",
            (
                Option(
                    "Nothing: it is not recorded.",
                    True,
                    "A session that is resumed must not find a conversation nobody had with it.",
                ),
                Option(
                    "Its prompt and its answer.",
                    False,
                    "Robin never said that prompt; resuming would put it into Robin's mouth.",
                ),
                Option(
                    "Only the memories it wrote.",
                    False,
                    "Those stand in the journal, with the name of who wrote them.",
                ),
            ),
        ),
        Ask(
            "A fork begins six minutes after the parent's last call. What does it read?",
            (
                Option(
                    "Everything: the text is the same.",
                    False,
                    "The text is, but a kept prefix dies five minutes after its last use.",
                ),
                Option(
                    "Nothing: what the parent had kept is gone by then.",
                    True,
                    "Extraction starts when the turn ends, so it does not come that late.",
                ),
                Option(
                    "The tools and the system prompt only.",
                    False,
                    "They died with the rest: they were used at the same moment.",
                ),
            ),
        ),
    ),
)
