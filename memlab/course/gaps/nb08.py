"""The gaps of notebook 08: extraction."""

from __future__ import annotations

from memlab.course.gap import Case, Gap
from memlab.extract.extractor import Message


def messages(numbers):
    return [Message(f"m{number}", "user", "…") for number in numbers]


CURSORS = {
    "everything after the cursor's message is new, and it is not": "1 2 3 4: m2, 1 2 3 4: m4",
    "no message has the cursor's uuid: all are new": "5 6: m2, 1 3: m2",
    "a conversation may be empty": ": m2",
    "a uuid is compared as a whole": "10 11 1 2: m1, 10 11 12: m1, 1 2: m10, 1 2: M1",
    "the order is that of the conversation, whatever the uuids say": "30 4 12 3: m4, 9 8 7: m8",
}


def conversations(rng):
    for rule, inputs in CURSORS.items():
        for one in inputs.split(", "):
            numbers, cursor = one.split(": ")
            yield Case((messages(numbers.split()), cursor), rule)
    for numbers in ((7, 8), ()):
        yield Case(
            (messages(numbers), None),
            "before the first run, the cursor is None",
        )
    talk = [
        Message("m1", "user", "m4"),
        Message("m2", "m4", "…"),
        *messages((4, 5)),
    ]
    for cursor in ("m4", "m1", "user"):
        yield Case((talk, cursor), "only the attribute uuid counts")
    for _ in range(12):
        numbers = rng.sample(range(1, 30), rng.randint(1, 9))
        yield Case((messages(numbers), f"m{rng.choice([*numbers, 30])}"))


new_messages = Gap(
    name="new_messages",
    place="memlab.extract.extractor.new_messages",
    cases=conversations,
    hints=(
        "What should the function return if compaction has removed the cursor's message?",
        "Go through the messages with `enumerate`. When a message's uuid is the cursor, return the"
        " slice that begins one later. What is left to do after the loop?",
    ),
    why="If the cursor is not found, nothing tells us which messages have been processed."
    " Processing a message twice costs tokens, but skipping one can lose a memory for good.",
    wrong=(
        ("number + 1 :", "number:", "and it is not"),
        ("return messages[:]", "return []", "all are new"),
        (
            "message.uuid == cursor",
            "cursor and cursor in message.uuid",
            "as a whole",
        ),
        (
            "message.uuid == cursor",
            "cursor in vars(message).values()",
            "only the attribute uuid",
        ),
        (
            "message.uuid == cursor",
            "cursor and message.uuid >= cursor",
            "all are new",
        ),
        (
            "return messages[number + 1 :]",
            "del messages[: number + 1]",
            "changed its argument",
        ),
    ),
)


def line(who="main agent", session="mon", turn="m1"):
    return {"who": who, "session": session, "turn": turn}


OTHERS = [line("extractor"), line(session="tue"), line(turn="m9")]
JOURNALS = {
    "one line that meets all three conditions is enough": [
        [line()],
        [line(turn="m2")],
    ],
    "the main agent wrote it": [
        [line("extractor")],
        [line("dream")],
        [line("agent")],
    ],
    "it was written in this session": [
        [line(session="tue")],
        [line(session="")],
    ],
    "the turn began with one of the new messages": [[line(turn="m9")]],
    "the same line meets all three conditions": [
        OTHERS,
        OTHERS[::-1],
        OTHERS[:2],
    ],
    "any line may be the one": [[*OTHERS, line()], [line(), *OTHERS]],
    "names and uuids are compared as a whole": [
        [line(turn="m10"), line(turn="m"), line(turn="M1")],
        [line(session="monday"), line(session="mo")],
    ],
    "the journal may be empty": [[]],
}


def journals(rng):
    for rule, inputs in JOURNALS.items():
        for journal in inputs:
            yield Case((journal, "mon", ["m1", "m2"]), rule)
    for session, new in (("tue", ["m1"]), ("mon", [])):
        yield Case(
            ([line()], session, new),
            "session and messages differ from case to case",
        )
    for _ in range(16):
        lines = [*OTHERS, line(), line("user", turn="m3"), line(turn="m4")]
        journal = rng.choices(lines, k=rng.randint(1, 4))
        yield Case(
            (
                journal,
                rng.choice(("mon", "tue")),
                rng.sample(["m1", "m3", "m4"], 2),
            )
        )


agent_saved_itself = Gap(
    name="agent_saved_itself",
    place="memlab.extract.extractor.agent_saved_itself",
    cases=journals,
    hints=(
        "Look at one line of the journal at a time. The same line has to meet all three"
        " conditions.",
        "The extractor writes in the same session, but its lines don't count. Return `False` only"
        " after you have looked at all lines.",
    ),
    why="A line with the right author, session and turn shows that the agent has already dealt"
    " with these messages. The journal is a file, so this still works after a restart.",
    wrong=(
        (' == "main agent"', ' != "extractor"', "the main agent wrote it"),
        ('line["session"] == session', "session", "in this session"),
        ('line["turn"] in messages', "messages", "one of the new messages"),
        (
            'line["turn"] in messages',
            'line["turn"] == messages[0]',
            "one line that meets",
        ),
        (
            'line["turn"] in messages',
            'line["turn"] in str(messages)',
            "as a whole",
        ),
        (
            "    return False",
            "        return False",
            "any line may be the one",
        ),
    ),
)
