import asyncio
from random import Random
from typing import Any

from memlab.clock import STORY_START, CourseClock
from memlab.course.exercise import Case
from memlab.course.seams import Conversation, Message

Turn = tuple[int, int]


def cases(random: Random) -> list[Case]:
    """Give the seconds at which turns end, with the messages so far, and how
    long a run takes.
    """
    scenes: list[tuple[list[Turn], int]] = [
        ([(0, 2), (10, 4)], 5),
        ([(0, 2), (1, 4)], 5),
        ([(0, 2), (1, 4), (2, 6)], 5),
        ([(0, 2), (1, 4), (6, 6)], 5),
        ([(0, 2), (1, 4), (6, 6), (11, 8), (40, 10)], 5),
        ([(0, 2), (3, 2)], 5),
    ]
    for _ in range(4):
        end, messages, turns = 0, 0, []
        for _ in range(random.randint(3, 7)):
            end += random.choice((1, 2, 3, 7, 20))
            messages += 2
            turns.append((end, messages))
        # no turn ends in the very second in which a run does
        scenes.append((turns, random.choice((4, 5, 6))))
    return [_case(turns, seconds) for turns, seconds in scenes]


def _case(turns: list[Turn], seconds: int) -> Case:
    wanted = expected_runs(turns, seconds)
    return Case(
        (turns, seconds),
        "; ".join(wanted) or "no run",
        lambda runs: bool(runs == wanted),
        "each message is processed once, in one run at a time",
    )


def expected_runs(turns: list[Turn], seconds: int) -> list[str]:
    """Say in words which runs there are."""
    return asyncio.run(_scene(_Reference, turns, seconds))


def run(mine: Any, turns: list[Turn], seconds: int) -> list[str]:
    """Let turns end at these seconds, on a simulated clock; gives the runs of
    the learner's class.
    """
    return asyncio.run(_scene(mine, turns, seconds))


async def _scene(mine: Any, turns: list[Turn], seconds: int) -> list[str]:
    clock = CourseClock()
    runs: list[str] = []

    def now() -> int:
        return round((clock.now() - STORY_START).total_seconds())

    async def extract(messages: list[Message]) -> None:
        first, last = messages[0].uuid[1:], messages[-1].uuid[1:]
        runs.append(f"{now()} s: messages {first}–{last}")
        await clock.sleep(seconds)

    extractor = mine(extract)
    ended = []
    for end, count in turns:
        await clock.sleep(end - now())
        said = tuple(
            Message(f"m{number}", "user", "…")
            for number in range(1, count + 1)
        )
        turn = extractor.turn_ended(Conversation(said))
        ended.append(asyncio.get_running_loop().create_task(turn))
    await asyncio.gather(*ended)
    return runs


class _Reference:
    """Process each message once, in one run at a time."""

    def __init__(self, extract: Any) -> None:
        self.extract = extract
        self.done = 0
        self.running = False
        self.newest: Conversation | None = None

    async def turn_ended(self, conversation: Conversation) -> None:
        self.newest = conversation
        if self.running:
            return
        self.running = True
        while self.newest is not None:
            new = self.newest.messages[self.done :]
            self.newest = None
            if new:
                await self.extract(list(new))
                self.done += len(new)
        self.running = False
