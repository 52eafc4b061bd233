import asyncio
from functools import partial
from random import Random
from typing import Any

from memlab.clock import STORY_START, CourseClock
from memlab.course.exercise import Case, case
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
        ([(0, 0), (3, 2)], 5),
        ([(0, 2), (1, 4), (2, 4), (3, 4)], 5),
        ([(0, 2), (1, 4), (2, 6), (6, 8), (7, 10), (12, 12), (30, 14)], 5),
    ]
    while len(scenes) < 14:
        end, messages, turns = 0, 0, []
        for _ in range(random.randint(3, 7)):
            turns.append((end, messages := messages + 2))
            end += random.choice((1, 2, 3, 7, 20))
        seconds = random.choice((4, 5, 6))
        run_ends = {
            start + seconds for start, *_ in planned_runs(turns, seconds)
        }
        # no turn ends in the very second in which a run does
        if run_ends.isdisjoint(at for at, _ in turns):
            scenes.append((turns, seconds))
    return [_case(turns, seconds) for turns, seconds in scenes]


def planned_runs(
    turns: list[Turn], seconds: int
) -> list[tuple[int, int, int]]:
    """List the runs second by second: start, first and last message."""
    runs: list[tuple[int, int, int]] = []
    processed, busy_until, waiting = 0, 0, 0
    for now in range(turns[-1][0] + seconds * (len(turns) + 2)):
        ended = [count for end, count in turns if end == now]
        if ended:
            waiting = ended[-1]
        if now >= busy_until and waiting > processed:
            runs.append((now, processed + 1, waiting))
            processed, busy_until = waiting, now + seconds
    return runs


def _case(turns: list[Turn], seconds: int) -> Case:
    wanted = [
        f"{start} s: messages {first}–{last}"
        for start, first, last in planned_runs(turns, seconds)
    ]
    ends = [f"{end} s" for end, _ in turns]
    return case(
        (turns, seconds),
        wanted,
        partial(_observed, turns[-1][1]),
        call=(
            f"turns end at {', '.join(ends[:-1])} and {ends[-1]}; a run"
            f" takes {seconds} s"
        ),
        returned="your runs",
        lines=list,
    )


def _observed(count: int, runs: list[str]) -> str:
    """Say which messages were never processed, or were processed twice, or
    which of the other rules was broken.
    """
    processed: list[int] = []
    for run in runs:
        if ": messages " not in run:
            continue
        first, last = run.rpartition(" ")[2].split("–")
        processed += range(int(first), int(last) + 1)
    numbers = range(1, count + 1)
    never = [number for number in numbers if number not in processed]
    twice = [number for number in numbers if processed.count(number) > 1]
    if never:
        return f"{_named(never)} never processed"
    if twice:
        return f"{_named(twice)} processed more than once"
    if any("waited" in run for run in runs):
        return "turn_ended waited, although it only had to fill the stash"
    if "at the end: the stash is not empty" in runs:
        return "a conversation that is processed leaves the stash"
    return ""


def _named(numbers: list[int]) -> str:
    if len(numbers) == 1:
        return f"message {numbers[0]} was"
    if numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"messages {numbers[0]}–{numbers[-1]} were"
    return f"messages {', '.join(map(str, numbers))} were"


def run(mine: Any, turns: list[Turn], seconds: int) -> list[str]:
    """Let turns end at these seconds, on a simulated clock; gives the runs of
    the learner's class.
    """
    return asyncio.run(_scene(mine, turns, seconds))


async def _scene(mine: Any, turns: list[Turn], seconds: int) -> list[str]:
    clock = CourseClock()
    runs: list[str] = []
    in_progress = 0

    def now() -> int:
        return round((clock.now() - STORY_START).total_seconds())

    async def extract(messages: list[Message]) -> None:
        nonlocal in_progress
        first, last = messages[0].uuid[1:], messages[-1].uuid[1:]
        runs.append(f"{now()} s: messages {first}–{last}")
        in_progress += 1
        await clock.sleep(seconds)
        in_progress -= 1

    async def end_turn(conversation: Conversation) -> None:
        start = now()
        only_stashed = in_progress > 0
        await extractor.turn_ended(conversation)
        if only_stashed and now() > start:
            runs.append(f"{start} s: turn_ended waited until {now()} s")

    extractor = mine(extract)
    ended = []
    for end, count in turns:
        await clock.sleep(end - now())
        said = tuple(
            Message(f"m{number}", "user", "…")
            for number in range(1, count + 1)
        )
        turn = end_turn(Conversation(said))
        ended.append(asyncio.get_running_loop().create_task(turn))
    await asyncio.gather(*ended)
    if getattr(extractor, "stash", None):
        runs.append("at the end: the stash is not empty")
    return runs
