"""The gaps of notebook 08: extraction."""

from __future__ import annotations

from memlab.course.gap import Case, Gap
from memlab.extract.extractor import Message


def messages(numbers):
    return [Message(f"m{number}", "user", "…") for number in numbers]


def conversations(rng):
    four = messages((1, 2, 3, 4))
    for cursor in ("m2", "m1", "m4"):
        rule = "everything after the cursor's message is new, and it is not"
        yield Case((four, cursor), rule)
    for some, cursor in ((four, None), (messages((7,)), None)):
        rule = "before the first run, the cursor is None and all are new"
        yield Case((some, cursor), rule)
    for some in (messages((5, 6)), messages((1, 3))):
        yield Case(
            (some, "m2"), "no message has the cursor's uuid: all are new"
        )
    for cursor in (None, "m2"):
        yield Case(([], cursor), "a conversation may be empty")
    for numbers, cursor in (
        ((10, 11, 1, 2), "m1"),
        ((10, 11, 12), "m1"),
        ((1, 2), "m10"),
        ((1, 2), "M1"),
    ):
        yield Case(
            (messages(numbers), cursor), "a uuid is compared as a whole"
        )
    for numbers, cursor in (((30, 4, 12, 3), "m4"), ((9, 8, 7), "m8")):
        rule = "the order is that of the conversation, whatever the uuids say"
        yield Case((messages(numbers), cursor), rule)
    talk = [
        Message("m1", "user", "m4"),
        Message("m2", "m4", "m4"),
        Message("m4", "user", "…"),
        Message("m5", "user", "m1"),
    ]
    for cursor in ("m4", "m1", "m3"):
        yield Case((talk, cursor), "only the attribute uuid counts")
    for _ in range(12):
        numbers = rng.sample(range(1, 30), rng.randint(1, 9))
        some = messages(numbers)
        yield Case((some, f"m{rng.choice([*numbers, *numbers, 30])}"))


new_messages = Gap(
    name="new_messages",
    place="memlab.extract.extractor.new_messages",
    cases=conversations,
    hints=(
        "What should the function return if compaction has removed the"
        " cursor's message?",
        "Go through the messages with `enumerate`. When a message's uuid is"
        " the cursor, return the slice that begins one later. What is left to"
        " do after the loop?",
    ),
    why="If the cursor is not found, nothing tells us which messages have been"
    " processed. Processing a message twice costs tokens. Skipping one can"
    " lose a memory for good.",
    wrong=(
        ("number + 1 :", "number:", "and it is not"),
        ("number + 1 :", "number + 1 : -1", "and it is not"),
        ("return messages[:]", "return []", "all are new"),
        ("return messages[:]", "return messages[-1:]", "all are new"),
        (
            "message.uuid == cursor",
            "cursor is not None and message.uuid.startswith(cursor)",
            "as a whole",
        ),
        (
            "message.uuid == cursor",
            "cursor in (message.uuid, message.text)",
            "only the attribute uuid",
        ),
        (
            """
def new_messages(messages, cursor):
    return [m for m in messages if cursor is None or m.uuid > cursor]
""",
            "no message has the cursor's uuid",
        ),
        (
            """
def new_messages(messages, cursor):
    while messages and cursor in [m.uuid for m in messages]:
        messages.pop(0)
    return messages
""",
            "changed its argument",
        ),
    ),
)


def line(who="main agent", session="monday", turn="m1"):
    return {"who": who, "session": session, "turn": turn}


def journals(rng):
    for turn in ("m1", "m2"):
        rule = "one line that meets all three conditions is enough"
        yield Case(([line(turn=turn)], "monday", ["m1", "m2"]), rule)
    for who in ("extractor", "dream", "user", "agent"):
        yield Case(([line(who)], "monday", ["m1"]), "the main agent wrote it")
    for session, asked in (("tuesday", "monday"), ("monday", "tuesday")):
        rule = "it was written in this session"
        yield Case(([line(session=session)], asked, ["m1"]), rule)
    for new in (["m3", "m4"], []):
        rule = "the turn began with one of the new messages"
        yield Case(([line(turn="m2")], "monday", new), rule)
    mixed = [line(turn="m9"), line("extractor"), line(session="tuesday")]
    for journal in (mixed, mixed[::-1], mixed[1:]):
        rule = "the same line meets all three conditions"
        yield Case((journal, "monday", ["m1", "m2"]), rule)
    others = [line("dream", "", ""), line("user"), line(turn="m8")]
    for journal in ([*others, line()], [line(), *others], [*mixed, line()]):
        yield Case((journal, "monday", ["m1"]), "any line may be the one")
    for written, new in (("m1", "m10"), ("m10", "m1"), ("M1", "m1")):
        rule = "names and uuids are compared as a whole"
        yield Case(([line(turn=written)], "monday", [new]), rule)
    for written, asked in (("monday", "mon"), ("mon", "monday")):
        rule = "names and uuids are compared as a whole"
        yield Case(([line(session=written)], asked, ["m1"]), rule)
    yield Case(([], "monday", ["m1"]), "the journal may be empty")
    for _ in range(16):
        journal = [
            line(
                rng.choice(("main agent", "main agent", "extractor", "user")),
                rng.choice(("monday", "tuesday")),
                f"m{rng.randint(1, 4)}",
            )
            for _ in range(rng.randint(1, 6))
        ]
        new = rng.sample(["m1", "m2", "m3", "m4"], 2)
        yield Case((journal, "monday", new))


agent_saved_itself = Gap(
    name="agent_saved_itself",
    place="memlab.extract.extractor.agent_saved_itself",
    cases=journals,
    hints=(
        "Look at one line of the journal at a time. The same line has to meet"
        " all three conditions.",
        "The extractor writes in the same session, but its lines don't count."
        " Return `False` only after you have looked at all lines.",
    ),
    why="The journal has only writes that took effect, so a refused write"
    " doesn't count. A line with the right author, session and turn shows that"
    " the agent has already dealt with these messages. The journal is a file,"
    " so this still works after a restart.",
    wrong=(
        (' == "main agent"', ' != "extractor"', "the main agent wrote it"),
        (
            'line["session"] == session',
            'line["session"]',
            "in this session",
        ),
        (
            'line["turn"] in messages',
            "messages",
            "one of the new messages",
        ),
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
            "            return True\n",
            "            return True\n        return False\n",
            "any line may be the one",
        ),
        (
            """
def agent_saved_itself(journal, session, messages):
    return (
        "main agent" in [line["who"] for line in journal]
        and session in [line["session"] for line in journal]
        and any(line["turn"] in messages for line in journal)
    )
""",
            "the same line",
        ),
    ),
)
