"""Runs functions that take a lock, each move of theirs in every order.

A function gets a simulated lock file, and each call to it is one *move*. To
make one more move, the function is run again from its start: the moves it has
made return what they returned before, and the next one stops it. So ordinary
functions can be interleaved, without threads. They must not keep anything
between two runs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from memlab.course.display import Table, table

HOUR = 3_600 * 10**9
NOW = 100 * HOUR
NOBODY = -1
MOST_MOVES = 40
PIDS = (41, 42, 43)
TOKENS = ("6f", "a0", "d3")

WORDS = {
    "read": "reads the lock file",
    "hours": "asks how old it is",
    "alive": "asks if process {} is running",
    "last": "asks for the last dream",
    "write": "writes the lock file",
    "create": "tries to create the file",
    "remove": "removes the lock file",
    "replace": "replaces the lock file",
    "guard": "takes the guard",
    "leave": "leaves the guard",
}
"""The moves, in words."""


class Disk(NamedTuple):
    """The lock file, and which process has the guard. Times are in
    nanoseconds.
    """

    text: str | None = None
    mtime: int = 0
    guard: int = NOBODY
    now: int = NOW


class Call(NamedTuple):
    """A move that a process wants to make next."""

    name: str
    given: tuple[Any, ...] = ()


class Returned(NamedTuple):
    """What a function has returned in the end."""

    value: Any


class Move(NamedTuple):
    """One move of an order: whose it was, which, and what the lock file
    contained afterwards.
    """

    process: int
    name: str
    result: Any
    text: str | None
    given: tuple[Any, ...] = ()

    @property
    def words(self) -> str:
        """What the process does."""
        return WORDS[self.name].format(*self.given)


Results = tuple[Any, ...]
Take = Callable[..., Any]


class _StoppedHereError(BaseException):
    """The function wants to make a move that it has not made before."""


class SimulatedLock:
    """What a function gets: the moves made so far are answered again, and the
    next one stops it.
    """

    def __init__(self, results: Results, living: Collection[int]) -> None:
        self._results = results
        self._living = living
        self._made = 0
        self.next: Call | None = None

    def _move(self, name: str, *given: Any) -> Any:
        if self.next is not None:
            raise _StoppedHereError
        if self._made < len(self._results):
            self._made += 1
            return self._results[self._made - 1]
        self.next = Call(name, given)
        raise _StoppedHereError

    def read(self) -> Any:
        """Return the text of the lock file; None if there is no file."""
        return self._move("read")

    def hours(self) -> Any:
        """Return the age of the lock file in hours."""
        return self._move("hours")

    def last(self) -> Any:
        """Return the time of the last complete dream."""
        return self._move("last")

    def alive(self, pid: int) -> bool:
        """Say whether a process is running."""
        if type(pid) is not int or pid <= 0:
            raise ValueError(f"alive({pid!r}): this is no process id")
        return bool(self._move("alive", pid, pid in self._living))

    def write(self, text: str) -> None:
        """Write into the lock file; a crash may leave it empty."""
        self._move("write", text)

    def create(self, text: str) -> Any:
        """Create the lock file and return True, if there is none."""
        return self._move("create", text)

    def remove(self) -> None:
        """Delete the lock file."""
        self._move("remove")

    def replace(self, text: str, mtime: int | None = None) -> None:
        """Put a whole new file in the place of the lock file."""
        self._move("replace", text, mtime)

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Keep all others out of such a block."""
        self._move("guard")
        try:
            yield
        except _StoppedHereError:
            raise
        except BaseException:
            self._move("leave")
            raise
        self._move("leave")


def last_dream(disk: Disk) -> int | None:
    """Return the time of the last complete dream: the mtime, or what the
    holder has written about the time before.
    """
    if disk.text is None:
        return None
    lines = disk.text.splitlines()
    if "done" not in lines[1:] and lines[2:3]:
        name, _, before = lines[2].partition(" ")
        if name == "before" and before == "none":
            return None
        if name == "before" and before.isdigit():
            return int(before)
    return disk.mtime


def move(disk: Disk, process: int, call: Call) -> tuple[Disk, Any] | None:
    """Make one move; None if the process has to wait."""
    if call.name == "guard":
        if disk.guard != NOBODY:
            return None
        return disk._replace(guard=process), None
    if call.name == "leave":
        return disk._replace(guard=NOBODY), None
    if call.name == "read":
        return disk, disk.text
    if call.name == "hours" and disk.text is None:
        return disk, 0.0
    if call.name == "hours":
        return disk, (disk.now - disk.mtime) / HOUR
    if call.name == "last":
        return disk, last_dream(disk)
    if call.name == "alive":
        return disk, call.given[1]
    if call.name == "remove":
        return disk._replace(text=None, mtime=0), None
    if call.name == "create" and disk.text is not None:
        return disk, False
    text, *more = call.given
    mtime = disk.now
    if more and more[0] is not None:
        mtime = more[0]
    return disk._replace(text=text, mtime=mtime), call.name == "create" or None


@dataclass(frozen=True)
class Player:
    """A function with its arguments, as one process runs it.

    ``known`` are the moves that it has been asked for already.
    """

    function: Take
    arguments: tuple[Any, ...]
    known: dict[Any, Call | Returned] = field(
        default_factory=dict, compare=False, repr=False
    )

    def next(
        self, results: Results, living: Collection[int]
    ) -> Call | Returned:
        """Return the next move, or what the function has returned."""
        key = (results, frozenset(living))
        if key not in self.known:
            self.known[key] = self._run(results, living)
        return self.known[key]

    def _run(
        self, results: Results, living: Collection[int]
    ) -> Call | Returned:
        if len(results) > MOST_MOVES:
            return Returned(f"still trying after {MOST_MOVES} moves")
        lock = SimulatedLock(results, living)
        try:
            value = self.function(lock, *self.arguments)
        except _StoppedHereError:
            pass
        else:
            if lock.next is None:
                return Returned(value)
        assert lock.next is not None
        return lock.next


@dataclass(frozen=True)
class Orders:
    """How many orders there are, by the number of processes that got the
    lock, and one of the shortest with two holders.
    """

    counts: dict[int, int]
    waiting: int
    trace: tuple[Move, ...]

    @property
    def total(self) -> int:
        """Return the number of orders."""
        return sum(self.counts.values())

    @property
    def two_holders(self) -> int:
        """Return the number of orders with more than one holder."""
        return sum(
            count for winners, count in self.counts.items() if winners > 1
        )

    @property
    def one_each(self) -> bool:
        """Whether every order had exactly one holder."""
        return set(self.counts) == {1} and not self.waiting

    def __repr__(self) -> str:
        words = ["no holder", "1 holder", "2 holders", "3 holders"]
        parts = [
            f"{words[winners]}: {count}"
            for winners, count in sorted(self.counts.items())
        ]
        return f"{self.total} orders ({', '.join(parts)})"

    @property
    def moves(self) -> Table:
        """The shortest order with two holders, move by move."""
        rows = []
        for number, made in enumerate(self.trace, 1):
            content = "no file" if made.text is None else made.text.strip()
            rows.append(
                (
                    number,
                    PIDS[made.process],
                    made.words,
                    content.replace("\n", " · "),
                )
            )
        return table(
            rows, ("move", "process", "what it does", "lock file afterwards")
        )


State = tuple[Disk, tuple[Results, ...]]


class _Game:
    def __init__(
        self, players: Sequence[Player], living: Collection[int]
    ) -> None:
        self.players = players
        self.living = living

    def wish(self, process: int, results: Results) -> Call | Returned:
        return self.players[process].next(results, self.living)

    def after(self, state: State) -> Iterator[tuple[Move, State]]:
        disk, made = state
        for process, results in enumerate(made):
            wish = self.wish(process, results)
            if isinstance(wish, Returned):
                continue
            if (moved := move(disk, process, wish)) is None:
                continue
            new, result = moved
            now = (*made[:process], (*results, result), *made[process + 1 :])
            made_now = Move(process, wish.name, result, new.text, wish.given)
            yield made_now, (new, now)

    def values(self, state: State) -> list[Any]:
        """Return what each process has returned; None while it is running."""
        wishes = [self.wish(*each) for each in enumerate(state[1])]
        return [
            wish.value if isinstance(wish, Returned) else None
            for wish in wishes
        ]

    def is_waiting(self, state: State) -> bool:
        """Say whether a process waits, in the end, for a guard that nobody
        releases, or has not stopped trying.
        """
        wishes = [self.wish(*each) for each in enumerate(state[1])]
        return any(
            isinstance(wish, Call) or isinstance(wish.value, str)
            for wish in wishes
        )

    def count(self, first: State) -> tuple[dict[int, int], int]:
        known: dict[State, tuple[dict[int, int], int]] = {}
        open_: list[State] = [first]
        while open_:
            state = open_[-1]
            if state in known:
                open_.pop()
                continue
            children = [child for _, child in self.after(state)]
            missing = [child for child in children if child not in known]
            if missing:
                open_ += missing
                continue
            open_.pop()
            if not children:
                winners = sum(value is True for value in self.values(state))
                known[state] = {winners: 1}, int(self.is_waiting(state))
                continue
            total: dict[int, int] = {}
            waiting = 0
            for child in children:
                counts, stuck = known[child]
                waiting += stuck
                for winners, count in counts.items():
                    total[winners] = total.get(winners, 0) + count
            known[state] = total, waiting
        return known[first]

    def shortest(
        self, first: State, is_wanted: Callable[[State], bool]
    ) -> tuple[Move, ...]:
        came: dict[State, tuple[State, Move] | None] = {first: None}
        queue = deque([first])
        while queue:
            state = queue.popleft()
            if is_wanted(state):
                moves = []
                while step := came[state]:
                    moves.append(step[1])
                    state = step[0]
                return tuple(reversed(moves))
            for made, child in self.after(state):
                if child not in came:
                    came[child] = state, made
                    queue.append(child)
        return ()


def every_order(
    take: Take,
    text: str | None = None,
    *,
    hours: float = 100,
    processes: int = 2,
    living: Collection[int] = (),
) -> Orders:
    """Let processes call ``take(lock, pid, token)`` at the same time, in every
    order of their moves.

    ``text`` and ``hours`` are what the lock file contains at first, and its
    age; without a text, there is no file. Process 41 is the first.
    """
    players = [
        Player(take, (PIDS[number], TOKENS[number]))
        for number in range(processes)
    ]
    game = _Game(players, {*PIDS[:processes], *living})
    first = start(text, hours), ((),) * processes
    counts, waiting = game.count(first)

    def two_hold(state: State) -> bool:
        return sum(value is True for value in game.values(state)) > 1

    trace: tuple[Move, ...] = ()
    if any(winners > 1 for winners in counts):
        trace = game.shortest(first, two_hold)
    return Orders(counts, waiting, trace)


def start(text: str | None, hours: float) -> Disk:
    """Return a disk with a lock file of this age, or without one."""
    if text is None:
        return Disk()
    return Disk(text, NOW - round(hours * HOUR))


def alone(
    player: Player,
    disk: Disk,
    living: Collection[int],
    *,
    kill_after: int | None = None,
) -> tuple[Any, Disk]:
    """Let one process run alone; return what it returned, and the disk.

    ``kill_after``: the process is killed after so many moves, and the guard is
    released. A plain ``write`` is killed in its middle, and leaves an empty
    file.
    """
    results: Results = ()
    while True:
        wish = player.next(results, living)
        if isinstance(wish, Returned):
            return wish.value, disk
        if kill_after is not None and len(results) >= kill_after:
            if wish.name in ("write", "create"):
                disk = disk._replace(text="", mtime=disk.now)
            return "killed", disk._replace(guard=NOBODY)
        moved = move(disk, 0, wish)
        if moved is None:
            return "waits for the guard forever", disk
        disk, result = moved
        results = (*results, result)


def endings(
    players: Sequence[Player], disk: Disk, living: Collection[int]
) -> set[tuple[tuple[Any, ...], Disk]]:
    """Return all ways in which these processes can end together: what each
    returned, and the disk afterwards.
    """
    game = _Game(players, living)
    first: State = (disk, ((),) * len(players))
    seen = {first}
    open_ = [first]
    found = set()
    while open_:
        state = open_.pop()
        children = [child for _, child in game.after(state)]
        if not children:
            values = tuple(
                "waits for the guard forever" if value is None else value
                for value in game.values(state)
            )
            found.add((values, state[0]))
        for child in children:
            if child not in seen:
                seen.add(child)
                open_.append(child)
    return found
