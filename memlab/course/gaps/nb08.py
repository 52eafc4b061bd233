"""The gaps of notebook 08: extraction."""

from __future__ import annotations

import asyncio

from memlab.clock import STORY_START, CourseClock
from memlab.course import my, parts
from memlab.course.conversations import Conversation, conversation_of
from memlab.course.gap import Case, Gap
from memlab.errors import pass_on_tape_miss
from memlab.extract.extractor import Message


def messages(numbers):
    return [Message(f"m{number}", "user", "…") for number in numbers]


CURSORS = {
    "everything after the cursor's message is new, and it is not": "1 2 3 4: m2, 1 2 3 4: m4",
    "if no message has the cursor's uuid, all are new": "5 6: m2, 1 3: m2",
    "a conversation may be empty": ": m2",
    "a uuid is compared as a whole": "10 11 1 2: m1, 10 11 12: m1, 1 2: m10, 1 2: M1",
    "the order is that of the conversation, whatever the uuids say": "30 4 12 3: m4, 9 8 7: m8",
    "before the first run, the cursor is None": "7 8: , : ",
}


def conversations(rng):
    for rule, inputs in CURSORS.items():
        for one in inputs.split(", "):
            numbers, cursor = one.split(": ")
            yield Case((messages(numbers.split()), cursor or None), rule)
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
        "Use `enumerate`: return the slice that begins right after the cursor's message.",
    ),
    why="Processing a message twice costs tokens, but skipping one can lose a memory for good.",
    wrong=(
        ("number + 1 :", "number:", "and it is not"),
        ("return messages[:]", "return []", "all are new"),
        ("uuid == cursor", "uuid.startswith(cursor or ' ')", "as a whole"),
        ("== cursor", "== cursor or message.text == cursor", "attribute uuid"),
        ("== cursor", ">= (cursor or 'n')", "all are new"),
    ),
)


def line(who="main agent", session="mon", turn="m1"):
    return {"who": who, "session": session, "turn": turn}


OTHERS = [line("extractor"), line(session="tue"), line(turn="m9")]
SESSIONS = [line(session=session) for session in ("monday", "mo", "")]
UUIDS = [line(turn=turn) for turn in ("m10", "m", "M1")]
JOURNALS = {
    "one line that meets all conditions is enough": [[line(turn="m2")]],
    "the main agent wrote it": [[line("extractor")], [line("agent")]],
    "it was written in this session": [OTHERS[1:2], SESSIONS],
    "the turn began with one of the new messages": [[line(turn="m9")]],
    "the same line meets all three conditions": [OTHERS, OTHERS[::-1]],
    "any line may be the one": [[*OTHERS, line()], [line(), *OTHERS]],
    "uuids are compared as a whole": [UUIDS],
    "the journal may be empty": [[]],
}


def journals(rng):
    for rule, inputs in JOURNALS.items():
        for journal in inputs:
            yield Case((journal, "mon", ["m1", "m2"]), rule)
    lines = [*OTHERS, line(), line("user", turn="m3"), line(turn="m4")]
    for _ in range(20):
        journal = rng.choices(lines, k=rng.randint(1, 4))
        new = rng.sample(["m1", "m3", "m4"], rng.randint(0, 2))
        yield Case((journal, rng.choice(("mon", "tue")), new))


agent_saved_itself = Gap(
    name="agent_saved_itself",
    place="memlab.extract.extractor.agent_saved_itself",
    cases=journals,
    hints=(
        "Look at one line of the journal at a time: the same line has to meet all conditions.",
        "Return `False` only after you have looked at all lines.",
    ),
    why="Such a line shows that the agent has dealt with these messages, even if it was restarted.",
    wrong=(
        (' == "main agent"', ' != "extractor"', "the main agent wrote it"),
        ('line["session"] == session', "session", "in this session"),
        ('line["turn"] in messages', "messages", "one of the new messages"),
        (" in messages", " == messages[0]", "one line that meets"),
        (" in messages", " in str(messages)", "as a whole"),
        ("    return False", "        return False", "any line may be"),
    ),
)


class Extractor:
    """Process each message once, in one run at a time."""

    def __init__(self, extract):
        self.extract = extract
        self.cursor = None
        self.running = False
        self.stash = None

    async def turn_ended(self, conversation):
        if self.running:
            self.stash = conversation
            return
        self.running = True
        try:
            await self.process(conversation)
            while self.stash is not None:
                newest = self.stash
                self.stash = None
                await self.process(newest)
        finally:
            self.running = False

    async def process(self, conversation):
        new = my.new_messages(conversation.messages, self.cursor)
        if new:
            await self.extract(new)
            self.cursor = new[-1].uuid


class Scheduled:
    """What makes memlab's extractor call a part when a turn ends.

    A run itself is memlab's, and so is its cursor. What the part has not
    processed when it returns, or raises, memlab processes.
    """

    part = first = None
    under_way = False

    async def __call__(self, prefix):
        busy = self.running
        await super().__call__(prefix)
        if busy:
            await self._ask(prefix)

    async def _extract(self, prefix, *, trailing=False):
        if not trailing:
            self.first = prefix
            await self._ask(prefix)
        if trailing or self.first:
            await self._process(prefix, trailing)

    async def _process(self, prefix, trailing):
        self.first, self.under_way = None, True
        try:
            await super()._extract(prefix, trailing=trailing)
        finally:
            self.under_way = False

    async def _ask(self, prefix):
        try:
            self.part = self.part or type(self).mine(self._run)
            parts.calls["Extractor"] += 1
            await self.part.turn_ended(conversation_of(prefix))
        except Exception as error:
            pass_on_tape_miss(error)
            parts.say_once("Extractor", error)

    async def _run(self, messages):
        newest, trailing = self.pending or self.first, not self.first
        if newest and not self.under_way:
            self.pending = None
            await self._process(newest, trailing)


def scheduled(mine, own):
    return type("Extractor", (Scheduled, own), {"mine": staticmethod(mine)})


async def scene(mine, turns, seconds):
    """Let turns end at these seconds, on a simulated clock; gives what happens."""
    clock, seen = CourseClock(), []

    def note(what):
        seconds = (clock.now() - STORY_START).total_seconds()
        seen.append(f"{seconds:.1f} s: {what}")

    async def extract(new):
        note(f"a run gets {new[0]!r} to {new[-1]!r}")
        await clock.sleep(seconds)

    async def end_turn(end, count):
        await clock.sleep(end)
        await extractor.turn_ended(Conversation(messages(range(1, count + 1))))
        note(f"the turn_ended that was called at {end} s returns")

    extractor = mine(extract)
    await asyncio.gather(*(end_turn(*turn) for turn in turns))
    if getattr(extractor, "stash", None):
        note("the stash is not empty")
    return seen


def extractor_call(turns, seconds):
    ends = ", ".join(f"at {end} s with {count}" for end, count in turns)
    return f"turns end {ends} messages in the conversation; a run takes {seconds} s"


# by rule: when turns end, and with how many messages
TURNS = {
    "a turn that ends while no run is in progress starts one at once": "0:2 10:4 20:6",
    "a turn that ends during a run waits in the stash for the next run": "0:2 1:4, 0:2 4:4 12:6",
    "a newer conversation replaces the older one in the stash": "0:2 1:4 2:6, 0:2 1:4 2:4 3:4",
    "another turn can end during the trailing run, too": "0:2 1:4 6:6, 0:2 1:4 6:6 7:8 11:10 40:12",
    "a turn without new messages starts no run": "0:0 3:2 9:2",
}


def turns(rng):
    for rule, inputs in TURNS.items():
        for some in inputs.split(", "):
            given = [tuple(map(int, turn.split(":"))) for turn in some.split()]
            yield Case((given, 4.3), rule)  # no turn ends when a run does
    for _ in range(12):
        ends = sorted(rng.sample(range(40), 6))
        some = [(end, 2 * rng.randint(i, i + 1)) for i, end in enumerate(ends)]
        yield Case((some, rng.choice((3.3, 5.3))))


extractor = Gap(
    name="Extractor",
    place="memlab.harness.Extractor",
    answer=Extractor,
    enters=scheduled,
    cases=turns,
    watch=lambda *given: asyncio.run(scene(*given)),
    call=extractor_call,
    hints=(
        "The first part is one line: put the conversation into the stash. Replace any older one.",
        "Then process what is stashed. Another turn may end meanwhile, so an `if` is not enough.",
        "Empty the stash *before* you `await`: a turn that ends during the run fills it again.",
    ),
    why="The newest conversation contains everything that is in the older ones, so a stash for one"
    " conversation loses nothing. The loop processes the turns that end during later runs.",
    wrong=(
        ("            self.stash = conversation\n", "", "waits in the stash"),
        ("while self.stash", "if self.stash", "during the trailing run"),
        ("= conversation\n", "= self.stash or conversation\n", "replaces"),
        ("process(newest)", "process(newest); self.stash = None", "trailing"),
        ("if self.running", "if False", "waits in the stash"),
    ),
)
