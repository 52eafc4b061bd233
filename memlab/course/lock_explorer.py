"""Every order in which processes can take the steps of a lock: which of them
go wrong, and how.

A protocol is a list of steps. The explorer lets two or three processes take
theirs in every order there is, and may let one crash, an hour pass, or a dream
fail, anywhere. What it has proved holds for the steps as written; a test
compares ours with the calls that the real lock makes. Schedules so rare that
only a real machine has them are not covered.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from memlab.course.pictures import OUTPUT_WIDTH, SMALL, Picture

NOBODY, LONG_DEAD = -1, -2
DREAMS, CRASHED = "dreams", "crashed"
AFTER = {
    "take": DREAMS,
    "refuse": "refused",
    "commit": "done",
    "back": "rolled back",
    "remove": "rolled back",
    "lost": "lost the lock",
}


class Lock(NamedTuple):
    """The lock file: which process id it shows, who wrote it, its mtime in
    hours, the mtime before.
    """

    pid: int
    token: int
    hour: int
    before: int | None = None
    done: bool = False


class Process(NamedTuple):
    """One process: in which phase, at which step, what it saw, what it would
    put back.
    """

    phase: str
    step: int = 0
    seen: Lock | None = None
    before: Lock | None = None


class World(NamedTuple):
    """All that processes share, all that each knows, and what may still happen
    to them.
    """

    lock: Lock | None
    processes: tuple[Process, ...]
    guard: int = NOBODY
    now: int = 1
    crashes: int = 0
    ticks: int = 0
    failures: int = 0


@dataclass(frozen=True)
class Step:
    """One thing a process does at once; None from ``do`` means that it has to
    wait.

    ``acts``: this commits, or puts back.
    """

    text: str
    do: Callable[[World, int], World | None]
    acts: bool = False


@dataclass(frozen=True)
class Protocol:
    """A lock as steps, in phases: take, and what follows once a dream ends
    well, fails, or lost.
    """

    name: str
    phases: Mapping[str, tuple[Step, ...]]


@dataclass(frozen=True)
class Moment:
    """One move of a schedule, in words, and the lock file and each process
    after it.
    """

    move: str
    lock: str
    states: tuple[str, ...]


@dataclass(frozen=True)
class Report:
    """What exploring one protocol gave; the figures count schedules, from
    start to end.

    ``two_commit``: at some moment two processes could each commit.
    ``wrong_rollback``: one could put back a lock that is another's.
    ``no_winner``: nobody got the lock. ``trace`` is a shortest way to the
    first two. ``states`` counts the situations that occur, and the last two
    fields those of them in which the first two happen.
    """

    protocol: str
    processes: int
    states: int
    schedules: int
    two_commit: int
    wrong_rollback: int
    no_winner: int
    trace: tuple[Moment, ...] = ()
    states_with_two: int = 0
    states_with_wrong: int = 0

    @property
    def safe(self) -> bool:
        """Whether no schedule has two who can end a dream on one lock."""
        return not (self.two_commit or self.wrong_rollback)

    @property
    def percent(self) -> float:
        """The share of schedules in which two can commit, in percent."""
        return 100 * self.two_commit / self.schedules

    @property
    def summary(self) -> str:
        """The result in one line."""
        if self.safe:
            return (
                f"{self.protocol}: safe in each of {self.schedules:,} orders of"
                f" {self.processes} processes"
            )
        if not self.two_commit:
            return (
                f"{self.protocol}: {self.wrong_rollback:,} of"
                f" {self.schedules:,} orders put back another's lock"
            )
        return (
            f"{self.protocol}: {self.two_commit:,} of {self.schedules:,} orders"
            " end with two holders"
        )

    @property
    def picture(self) -> Picture:
        """The shortest way to what goes wrong: a lane for each process and one
        for the lock file, time going down.
        """
        words = [f"{moment.move}; {moment.lock}" for moment in self.trace]
        alt = ". ".join([self.summary, *words])
        bottom = _TOP + _ROW * len(words)
        picture = Picture(
            self.summary, alt, height=bottom + 36, width=OUTPUT_WIDTH
        )
        names = [f"P{number + 1}" for number in range(self.processes)]
        lanes = ["the lock file", *names]
        wide = (OUTPUT_WIDTH - 48) / len(lanes)
        for number, name in enumerate(lanes if words else []):
            x = 24 + wide * (number + 0.5)
            picture.text(x, 62, name, anchor="middle", bold=True)
            picture.line((x, 70), (x, bottom - 16))
        before = ""
        for number, moment in enumerate(self.trace):
            y = _TOP + _ROW * number
            who, _, what = moment.move.partition(" ")
            name = who.removesuffix("'s")
            lane = lanes.index(name) if name in names else 0
            what = f"{'its ' * (name != who)}{what}"
            last = number == len(self.trace) - 1
            picture.box(
                24 + wide * lane + 4,
                y,
                wide - 8,
                _ROW - 10,
                f"{number + 1}. {what if lane else moment.move}",
                fill="red" if last else "blue" if lane else "plain",
                strong=last,
                size=SMALL,
            )
            if lane and moment.lock != before:
                changed = before != ""
                picture.box(
                    28,
                    y,
                    wide - 8,
                    _ROW - 10,
                    moment.lock,
                    fill="marked" if changed else "plain",
                    size=SMALL,
                )
            before = moment.lock
        wrong = "two processes can each end a dream on one lock"
        if not self.two_commit:
            wrong = "the next step puts back a lock that another process wrote"
        picture.text(
            24,
            bottom + 12,
            f"✕ Now {wrong}." if words else "✓ No order goes wrong.",
            bold=True,
        )
        return picture


_TOP, _ROW = 80, 46
STALE = Lock(LONG_DEAD, NOBODY, 0)


def explore(
    protocol: Protocol,
    processes: int = 2,
    *,
    start: Lock | None = STALE,
    whole: bool = False,
    crashes: int = 0,
    ticks: int = 0,
    failures: int = 0,
) -> Report:
    """Try every schedule; by default the contest alone, in which a process
    that gets the lock keeps it.

    ``whole`` goes on to the commit or the rollback. ``start`` is the lock file
    before, by default one that a dead process left long ago; None for none.
    The last three say how many processes may crash, how often an hour may
    pass, and how many dreams may fail.
    """
    first = World(
        start,
        (Process("take"),) * processes,
        NOBODY,
        1,
        crashes,
        ticks,
        failures,
    )
    game = _Game(protocol, whole)
    counts = game.count(first)
    schedules, two, wrong, none = counts[first]
    trace = game.shortest(first) if two or wrong else ()
    return Report(
        protocol.name,
        processes,
        len(counts),
        schedules,
        two,
        wrong,
        none,
        trace,
        sum(map(game.two_commit, counts)),
        sum(map(game.wrong_rollback, counts)),
    )


def go(
    world: World, process: int, phase: str, step: int = 0, **known: Lock | None
) -> World:
    """Return the world with one process moved to a step, knowing what it now
    knows.
    """
    state = world.processes[process]._replace(phase=phase, step=step, **known)
    return world._replace(
        processes=(
            *world.processes[:process],
            state,
            *world.processes[process + 1 :],
        )
    )


def alive(world: World, pid: int) -> bool:
    """Tell whether a process id is in use."""
    return pid >= 0 and world.processes[pid].phase != CRASHED


class _Game:
    def __init__(self, protocol: Protocol, whole: bool) -> None:
        self.phases, self.whole = protocol.phases, whole

    def moves(self, world: World) -> Iterator[tuple[str, World]]:
        """List what can happen next, with the world after it."""
        running = False
        for process, state in enumerate(world.processes):
            name = f"P{process + 1}"
            if state.phase == DREAMS and self.whole:
                yield (
                    f"{name}'s dream ends well",
                    self._enter(world, process, "commit"),
                )
                if world.failures:
                    fewer = world._replace(failures=world.failures - 1)
                    yield (
                        f"{name}'s dream fails",
                        self._enter(fewer, process, "back"),
                    )
            elif state.phase in AFTER:
                if after := self._step(world, process):
                    yield f"{name} {self._next(state).text}", after
            else:
                continue
            running = True
            if world.crashes:
                yield f"{name} crashes", _crash(world, process)
        if running and world.ticks:
            yield (
                "an hour passes",
                world._replace(now=world.now + 1, ticks=world.ticks - 1),
            )

    def count(self, first: World) -> dict[World, tuple[int, int, int, int]]:
        """For each world: schedules from there, those with two, with a wrong
        rollback, no winner.

        Each world is judged once; the schedules are the sums along the moves.
        """
        counts: dict[World, tuple[int, int, int, int]] = {}
        open_: list[tuple[World, list[World] | None]] = [(first, None)]
        while open_:
            world, after = open_.pop()
            if world in counts:
                continue
            if after is None:
                after = [child for _, child in self.moves(world)]
                open_.append((world, after))
                open_ += [
                    (child, None) for child in after if child not in counts
                ]
                continue
            parts = [counts[child] for child in after]
            two, wrong = self.two_commit(world), self.wrong_rollback(world)
            total = sum(part[0] for part in parts) or 1
            nobody = (
                sum(part[3] for part in parts)
                if parts
                else int(_no_winner(world))
            )
            counts[world] = (
                total,
                total if two else sum(part[1] for part in parts),
                total if wrong else sum(part[2] for part in parts),
                nobody,
            )
        return counts

    def two_commit(self, world: World) -> bool:
        """Tell whether two processes could each commit, now, without waiting
        for anyone.
        """
        if (
            sum(state.phase in (DREAMS, "commit") for state in world.processes)
            < 2
        ):
            return False
        return (
            sum(
                self._would_commit(world, process)
                for process in range(len(world.processes))
            )
            > 1
        )

    def wrong_rollback(self, world: World) -> bool:
        """Tell whether a process is about to put back a lock that another
        wrote.
        """
        return any(
            state.phase in ("back", "remove")
            and self._next(state).acts
            and (world.lock is None or world.lock.token != process)
            for process, state in enumerate(world.processes)
        )

    def shortest(self, first: World) -> tuple[Moment, ...]:
        """Find a shortest way to a world in which two could end a dream on one
        lock.
        """
        came: dict[World, tuple[World, str] | None] = {first: None}
        queue = deque([first])
        while queue:
            world = queue.popleft()
            if self.two_commit(world) or self.wrong_rollback(world):
                return self._moments(came, world)
            for move, child in self.moves(world):
                if child not in came:
                    came[child] = world, move
                    queue.append(child)
        return ()

    def _moments(
        self, came: Mapping[World, tuple[World, str] | None], world: World
    ) -> tuple[Moment, ...]:
        moments: list[Moment] = []
        while step := came[world]:
            states = tuple(self._where(state) for state in world.processes)
            moments.append(Moment(step[1], describe(world.lock), states))
            world = step[0]
        return tuple(reversed(moments))

    def _where(self, state: Process) -> str:
        return (
            f"next: {self._next(state).text}"
            if state.phase in AFTER
            else state.phase
        )

    def _would_commit(self, world: World, process: int) -> bool:
        state = world.processes[process]
        if state.phase == DREAMS:
            world = self._enter(world, process, "commit")
        while (state := world.processes[process]).phase == "commit":
            if self._next(state).acts:
                return True
            if any(step.acts for step in self.phases["commit"][: state.step]):
                return False
            if (after := self._step(world, process)) is None:
                return False
            world = after
        return False

    def _next(self, state: Process) -> Step:
        return self.phases[state.phase][state.step]

    def _step(self, world: World, process: int) -> World | None:
        state = world.processes[process]
        after = self._next(state).do(world, process)
        if after is None:
            return None
        then = after.processes[process]
        if then.phase != state.phase:
            return self._enter(after, process, then.phase)
        if state.step + 1 < len(self.phases[state.phase]):
            return go(after, process, state.phase, state.step + 1)
        return go(after, process, AFTER[state.phase])

    def _enter(self, world: World, process: int, phase: str) -> World:
        return go(
            world,
            process,
            phase if self.phases.get(phase) else AFTER.get(phase, phase),
        )


def describe(lock: Lock | None) -> str:
    """Say what the lock file contains."""
    if lock is None:
        return "no lock"
    who = (
        f"P{lock.pid + 1}"
        if lock.pid >= 0
        else "a dead process"
        if lock.pid < -1
        else "nobody"
    )
    when = "of long ago" if lock.hour == 0 else f"of hour {lock.hour}"
    return f"{who}, {when}{', done' if lock.done else ''}"


def _crash(world: World, process: int) -> World:
    guard = NOBODY if world.guard == process else world.guard
    return go(
        world._replace(guard=guard, crashes=world.crashes - 1),
        process,
        CRASHED,
    )


def _no_winner(world: World) -> bool:
    return all(state.phase == "refused" for state in world.processes)


# in the protocols that write over the lock: the step that does
WRITES_AT_ONCE = 1


def free(world: World, lock: Lock | None) -> bool:
    """Tell whether a lock keeps nobody out: none, done, of a dead process, or
    an hour old.
    """
    return (
        lock is None
        or lock.done
        or not alive(world, lock.pid)
        or lock.hour < world.now
    )


def look(world: World, process: int) -> World:
    """Look at the lock and give up if someone has it."""
    if not free(world, world.lock):
        return go(world, process, "refuse")
    return go(
        world,
        process,
        "take",
        world.processes[process].step,
        seen=world.lock,
        before=world.lock,
    )


def write(world: World, process: int) -> World:
    """Write this process's lock over what is there now."""
    before = world.processes[process].before
    return world._replace(
        lock=Lock(process, process, world.now, before.hour if before else None)
    )


def verify(world: World, process: int) -> World:
    """Read the lock again and give up if it shows another process."""
    return (
        world
        if world.lock and world.lock.pid == process
        else go(world, process, "refuse")
    )


def nothing(world: World, process: int) -> World:
    """Do something that no other process can see."""
    return world


def put_back(world: World, process: int) -> World:
    """Put the lock back as it was before this process took it."""
    return world._replace(lock=world.processes[process].before)


def remove(world: World, process: int) -> World:
    """Remove the lock, no matter which process has it."""
    return world._replace(lock=None)


def create(world: World, process: int) -> World:
    """Create the lock; fails if there is one."""
    return (
        write(world, process)
        if world.lock is None
        else go(world, process, "refuse")
    )


def wait_for_writers(world: World, process: int) -> World | None:
    """Wait so long that everyone who has looked must have written."""
    others = (
        state
        for number, state in enumerate(world.processes)
        if number != process
    )
    late = any(
        (state.phase, state.step) == ("take", WRITES_AT_ONCE)
        for state in others
    )
    return None if late else world


def take_guard(world: World, process: int) -> World | None:
    """Take the guard, or wait for it."""
    return world._replace(guard=process) if world.guard == NOBODY else None


def leave_guard(world: World, process: int) -> World:
    """Release the guard."""
    return world._replace(guard=NOBODY)


def look_and_repair(world: World, process: int) -> World:
    """Look, and take for "before" what was there before a holder that has not
    finished.
    """
    after = look(world, process)
    lock = world.lock
    if (
        after.processes[process].phase == "refuse"
        or lock is None
        or lock.done
        or lock.token < 0
    ):
        return after
    before = (
        None
        if lock.before is None
        else lock._replace(hour=lock.before, done=True)
    )
    return go(
        after, process, "take", after.processes[process].step, before=before
    )


def check_token(world: World, process: int) -> World:
    """Check that the lock is still this process's own."""
    mine = world.lock and world.lock.token == process and not world.lock.done
    return world if mine else go(world, process, "lost")


def check_before_back(world: World, process: int) -> World:
    """The same before a rollback, which removes a lock where none was before."""
    return what_was_before(check_token(world, process), process)


def what_was_before(world: World, process: int) -> World:
    """Look at the lock without checking which process wrote it."""
    state = world.processes[process]
    return (
        go(world, process, "remove")
        if state.phase == "back" and state.before is None
        else world
    )


def mark_done(world: World, process: int) -> World:
    """Mark the lock as done; its mtime stays."""
    return world._replace(lock=world.lock and world.lock._replace(done=True))


def _naive(name: str, *take: Step) -> Protocol:
    commit = Step("commits its dream", nothing, acts=True)
    back = Step("puts the old lock back", put_back, acts=True)
    return Protocol(name, {"take": take, "commit": (commit,), "back": (back,)})


LOOK = Step("looks at the lock", look)
WRITE = Step("writes its id into the lock", write)
VERIFY = Step("reads the lock again", verify)
TEMPORARY = Step("writes a temporary file", nothing)
TIME = Step("sets its time", nothing)
SYNC = Step("brings it to the disk", nothing)
GUARD = Step("takes the guard", take_guard)
LEAVE = Step("leaves the guard", leave_guard)
OWN = Step("looks at the lock", check_token)

WRITE_THEN_VERIFY = _naive("write, then verify", LOOK, WRITE, VERIFY)
TEMP_AND_RENAME = _naive(
    "temporary file, rename",
    LOOK,
    TEMPORARY,
    Step("renames it to the lock", write),
    VERIFY,
)
UNLINK_AND_CREATE = _naive(
    "unlink, create exclusively",
    LOOK,
    Step("removes the old lock", remove),
    Step("makes the lock, if none is there", create),
)
WAIT_AND_VERIFY = _naive(
    "wait, then verify", LOOK, WRITE, Step("waits", nothing), VERIFY
)
WAIT_LONG_ENOUGH = _naive(
    "wait longer than any write takes",
    LOOK,
    WRITE,
    Step("waits", wait_for_writers),
    VERIFY,
)


def _ours(name: str, **changed: Step) -> Protocol:
    guard, leave = changed.get("guard", GUARD), changed.get("leave", LEAVE)
    own = changed.get("own", OWN)
    back = changed.get("back", Step("looks at the lock", check_before_back))

    def rename(do: Step) -> tuple[Step, ...]:
        return TEMPORARY, TIME, SYNC, do

    phases: Mapping[str, tuple[Step, ...]] = {
        "take": (
            guard,
            Step("looks at the lock", look_and_repair),
            *rename(Step("renames it to the lock", write)),
            leave,
        ),
        "refuse": (leave,),
        "commit": (
            guard,
            own,
            Step("commits its dream", nothing, acts=True),
            leave,
            guard,
            own,
            *rename(Step("renames it to the lock", mark_done)),
            leave,
        ),
        "back": (
            guard,
            back,
            *rename(Step("renames it to the lock", put_back, acts=True)),
            leave,
        ),
        "remove": (Step("removes the lock", remove, acts=True), leave),
        "lost": (leave,),
    }
    return Protocol(name, phases)


OURS = _ours("ours")
NO_GUARD = _ours(
    "ours without the guard",
    guard=Step("goes on without a guard", nothing),
    leave=Step("has no guard to leave", nothing),
)
NO_TOKEN = _ours(
    "ours without the token",
    own=Step("does not ask whose lock it is", nothing),
)
ANY_ROLLBACK = _ours(
    "ours with any rollback",
    back=Step("does not ask whose lock it is", what_was_before),
)

NAIVE = (
    WRITE_THEN_VERIFY,
    TEMP_AND_RENAME,
    UNLINK_AND_CREATE,
    WAIT_AND_VERIFY,
    WAIT_LONG_ENOUGH,
)
BROKEN = (NO_GUARD, NO_TOKEN, ANY_ROLLBACK)
