"""The gap of notebook 08 that is a class."""

from __future__ import annotations

import asyncio

from memlab.clock import STORY_START, CourseClock
from memlab.course import my, parts
from memlab.course.conversations import Conversation, conversation_of
from memlab.course.gap import Case, Gap
from memlab.course.gaps.nb08 import messages
from memlab.errors import pass_on_tape_miss


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
            await self.part.turn_ended(conversation_of(prefix))
        except Exception as error:
            pass_on_tape_miss(error)
            parts._say("Extractor", error)

    async def _run(self, messages):
        newest, trailing = self.pending or self.first, not self.first
        if newest and not self.under_way:
            self.pending = None
            await self._process(newest, trailing)


def scheduled(mine, own):
    return type("Extractor", (Scheduled, own), {"mine": staticmethod(mine)})


async def scene(mine, turns, seconds):
    """Let turns end at these seconds, on a simulated clock; gives the runs."""
    clock, seen, running = CourseClock(), [], []

    def now():
        return round((clock.now() - STORY_START).total_seconds(), 1)

    async def extract(new):
        seen.append(f"{now():g} s: a run gets {new[0]!r} to {new[-1]!r}")
        running.append(new)
        await clock.sleep(seconds)
        running.remove(new)

    async def end_turn(end, count):
        await clock.sleep(end)
        during_run = bool(running)
        await extractor.turn_ended(Conversation(messages(range(1, count + 1))))
        if during_run and now() > end:
            seen.append(f"{end} s: turn_ended waited for {now():g} s")

    extractor = mine(extract)
    await asyncio.gather(*(end_turn(*turn) for turn in turns))
    if getattr(extractor, "stash", None):
        seen.append("at the end, the stash is not empty")
    return seen


def watch_extractor(*given):
    return asyncio.run(scene(*given))


def extractor_call(turns, seconds):
    ends = ", ".join(f"at {end} s with {count}" for end, count in turns)
    return f"turns end {ends} messages in the conversation; a run takes {seconds} s"


TURNS = {
    "a turn that ends while no run is in progress starts one at once": "0:2 10:4 20:6",
    "a turn that ends during a run waits in the stash for the next run": "0:2 1:4, 0:2 4:4 12:6",
    "a newer conversation replaces the older one in the stash": "0:2 1:4 2:6, 0:2 1:4 2:4 3:4",
    "another turn can end during the trailing run, too": "0:2 1:4 6:6, 0:2 1:4 6:6 7:8 11:10 40:12",
    "a turn without new messages starts no run": "0:0 3:2 9:2",
}
"""By rule: when turns end, and with how many messages."""


def turns(rng):
    for rule, inputs in TURNS.items():
        for some in inputs.split(", "):
            given = [tuple(map(int, turn.split(":"))) for turn in some.split()]
            yield Case((given, 4.3), rule)  # no turn ends when a run does
    for _ in range(12):
        ends = sorted(rng.sample(range(40), 6))
        given = [
            (end, 2 * rng.randint(i, i + 1)) for i, end in enumerate(ends)
        ]
        yield Case((given, rng.choice((3.3, 5.3))))


extractor = Gap(
    name="Extractor",
    place="memlab.harness.Extractor",
    answer=Extractor,
    enters=scheduled,
    cases=turns,
    watch=watch_extractor,
    call=extractor_call,
    hints=(
        "The first part is one line: put the conversation into the stash. A newer conversation"
        " simply overwrites it.",
        "In the second part, take the conversation out of the stash and pass it to `self.process`."
        " While you wait for that run, yet another turn may end, so an `if` is not enough.",
        "Empty the stash *before* you `await`. A turn that ends during the run fills it again, and"
        " emptying it afterwards would throw that turn away.",
    ),
    why="The newest conversation contains everything that is in the older ones, so a stash for one"
    " conversation loses nothing. The loop processes the turns that end during later runs.",
    wrong=(
        ("            self.stash = conversation\n", "", "waits in the stash"),
        ("while self.stash", "if self.stash", "during the trailing run"),
        (
            "= conversation\n",
            "= self.stash or conversation\n",
            "replaces the older one",
        ),
        (
            "process(newest)\n",
            "process(newest)\n                self.stash = None\n",
            "during the trailing run",
        ),
        ("if self.running", "if False", "waits in the stash"),
    ),
)
