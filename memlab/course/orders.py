"""Runs functions that take a lock, and roll it back, in every order of their
moves.

A function gets a lock file that exists only here, and each call to it is one
*move*. To make one more move, the function is run again from its start: the
moves it has made return what they returned before, and the next one stops it.
So ordinary functions, such as memlab's own ``take_lock``, can be interleaved
without threads. They must not keep anything between two runs.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any, NamedTuple

from memlab.course.show import Table, table
from memlab.dream.lock import before_it, is_ours

HOUR = 3_600 * 10**9
NOW = 100 * HOUR
PIDS, TOKENS = (41, 42, 43), ("6f", "a0", "d3")
MOST_MOVES = 40
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

Move = tuple[Any, ...]  # its name, and what it is given
Function = Callable[["FakeLock", int, str], Any]
Way = list[tuple[int, Move, str | None]]  # who, its move, the text afterwards


class Disk(NamedTuple):
    """The lock file, the processes that are running, which of them has the
    guard, and the time. Times are in nanoseconds.
    """

    text: str | None
    mtime: int
    running: frozenset[int]
    guard: int | None = None
    now: int = NOW

    def hours(self) -> float:
        """Return the age of the lock file."""
        return 0 if self.text is None else (self.now - self.mtime) / HOUR

    def before(self) -> tuple[str, int] | None:
        """Return the state before an unfinished dream, as memlab does."""
        return (
            None if self.text is None else before_it((self.text, self.mtime))
        )

    def after(self, move: Move, pid: int | None) -> tuple[Disk, Any] | None:
        """Return the disk after a move, and what the move returns; None if
        the process has to wait.
        """
        match move:
            case ("guard",):
                free = self.guard is None
                return (self._replace(guard=pid), None) if free else None
            case ("leave",):
                return self._replace(guard=None), None
            case ("read",):
                return self, self.text
            case ("hours",):
                return self, self.hours()
            case ("last",):
                before = self.before()
                return self, before and before[1]
            case ("alive", asked):
                return self, asked in self.running
            case ("remove",):
                return self._replace(text=None, mtime=0), None
            case ("create", text) if self.text is None:
                return self._replace(text=text, mtime=self.now), True
            case ("create", _):
                return self, False
            case ("replace" | "write", text, mtime):
                when = self.now if mtime is None else mtime
                return self._replace(text=text, mtime=when), self.before()
            case ("done",):
                return self._replace(text=f"{self.text or ''}done\n"), None
        return self, True  # a dream, or its changes to memory


def words_of(move: Move) -> str:
    """Say what a move does."""
    name, *given = move
    return str(WORDS.get(name, name)).format(*given)


class _StopHere(BaseException):
    """The function wants to make a move that it has not made before."""


class FakeLock:
    """What a function gets; ``next`` is the move that it wants to make."""

    def __init__(self, made: Sequence[Any]) -> None:
        self.next: Move = ()
        self.before: Any = None
        self._made = list(made)

    def move(self, *move: Any) -> Any:
        """Return what the move returned before, or stop here."""
        if self._made and not self.next:
            return self._made.pop(0)
        self.next = self.next or move
        raise _StopHere

    def read(self) -> Any:
        """Return the text of the lock file; None if there is no file."""
        return self.move("read")

    def hours(self) -> Any:
        """Return the age of the lock file in hours."""
        return self.move("hours")

    def last(self) -> Any:
        """Return the time of the last complete dream."""
        return self.move("last")

    def alive(self, pid: int) -> Any:
        """Say whether a process is running."""
        return self.move("alive", pid)

    def create(self, text: str) -> Any:
        """Create the lock file and return True, if there is none."""
        return self.move("create", text)

    def write(self, text: str) -> None:
        """Write into the lock file; a crash may leave it empty."""
        self.before = self.move("write", text, None)

    def replace(self, text: str, mtime: int | None = None) -> None:
        """Put a whole new file in the place of the lock file."""
        self.before = self.move("replace", text, mtime)

    def remove(self) -> None:
        """Delete the lock file."""
        self.move("remove")

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Keep all others out of such a block."""
        self.move("guard")
        try:
            yield
        finally:
            self.move("leave")


class State(NamedTuple):
    """A disk, what each process's moves have returned (None if it died), and
    what may still happen once: a ``crash``, a ``failure`` of a dream, an
    ``hour``.
    """

    disk: Disk
    made: tuple[tuple[Any, ...] | None, ...]
    may: frozenset[str] = frozenset()

    def after(self, who: int, made: Any, **changes: Any) -> State:
        """Return the state in which a process has made these moves."""
        others = (*self.made[:who], made, *self.made[who + 1 :])
        return self._replace(made=others, **changes)

    def without(self, event: str) -> State:
        """Return the state in which an event may not happen again."""
        return self._replace(may=self.may - {event})


class Game:
    """Functions of a lock, a process id and a token, each run by a process of
    its own, and all that can happen; perhaps without a guard.
    """

    def __init__(self, *functions: Function, guard: bool = True) -> None:
        self.functions = functions
        self.guard = guard
        self.step = cache(self._step)

    def _step(
        self, who: int, made: tuple[Any, ...] | None
    ) -> tuple[Move, Any]:
        """Return the next move of a process, or () and what its function has
        returned.
        """
        if made is None:
            return (), "died"
        if len(made) > MOST_MOVES:
            return (), f"still trying after {MOST_MOVES} moves"
        lock = FakeLock(made)
        value = "waits for the guard"
        with suppress(_StopHere):
            value = self.functions[who](lock, PIDS[who], TOKENS[who])
        return lock.next, value

    def after(self, state: State) -> Iterator[tuple[int, Move, State]]:
        """Give all that can happen next: who does what, and the state
        afterwards.
        """
        running = False
        for who, made in enumerate(state.made):
            move = self.next(state, who)
            if made is None or not move:
                continue
            running = True
            done = state.disk.after(move, PIDS[who] if self.guard else None)
            if done is not None:
                yield (
                    who,
                    move,
                    state.after(who, (*made, done[1]), disk=done[0]),
                )
            if move == ("dream",) and "failure" in state.may:
                yield (
                    who,
                    move,
                    state.without("failure").after(who, (*made, False)),
                )
            if "crash" in state.may:
                disk = _crash(state.disk, PIDS[who], move)
                died = state.without("crash").after(who, None, disk=disk)
                yield who, ("die",), died
        if running and "hour" in state.may:
            later = state.disk._replace(now=state.disk.now + HOUR)
            yield -1, ("wait",), state.without("hour")._replace(disk=later)

    def next(self, state: State, who: int) -> Move:
        """Return what a process does next; () if it has ended."""
        return self.step(who, state.made[who])[0]

    def values(self, state: State) -> list[Any]:
        """Return what the function of each process has returned."""
        return [self.step(who, made)[1] for who, made in enumerate(state.made)]

    def holders(self, state: State) -> int:
        """Count the processes that have got the lock."""
        return sum(value is True for value in self.values(state))

    def ways(self, first: State) -> dict[State, Way]:
        """Return every state that can occur, the nearest first, with one of
        the shortest ways to it.
        """
        ways: dict[State, Way] = {first: []}
        queue = deque([first])
        while queue:
            state = queue.popleft()
            for who, move, child in self.after(state):
                if child not in ways:
                    ways[child] = [*ways[state], (who, move, child.disk.text)]
                    queue.append(child)
        return ways


def _crash(disk: Disk, pid: int, move: Move) -> Disk:
    """Return what a process leaves that dies in a move: no guard, and of a
    plain write, an empty file.
    """
    if move[0] == "write" or (move[0] == "create" and disk.text is None):
        disk = disk._replace(text="", mtime=disk.now)
    guard = None if disk.guard == pid else disk.guard
    return disk._replace(guard=guard, running=disk.running - {pid})


class Orders(NamedTuple):
    """How many orders there are, by the number of processes that got the
    lock, and one of the shortest with two holders.
    """

    counts: Counter[int]
    trace: Way

    def __repr__(self) -> str:
        parts = [
            f"{holders or 'no'} holder{'s' * (holders > 1)}: {count}"
            for holders, count in sorted(self.counts.items())
        ]
        return f"{self.counts.total()} orders ({', '.join(parts)})"

    @property
    def moves(self) -> Table:
        """The shortest order with two holders, move by move."""
        rows = []
        for number, (who, move, text) in enumerate(self.trace, 1):
            content = "no file" if text is None else text.strip()
            words = WORDS[move[0]].format(*move[1:])
            rows.append(
                (number, PIDS[who], words, content.replace("\n", " · "))
            )
        heads = ("move", "process", "what it does", "lock file afterwards")
        return table(rows, heads)


def begin(
    text: str | None,
    hours: float = 100,
    processes: int = 2,
    living: Collection[int] = (),
    may: Collection[str] = (),
) -> State:
    """Return a state in which nothing has happened yet, with a lock file of
    this age, or without one.
    """
    mtime = 0 if text is None else NOW - round(hours * HOUR)
    running = frozenset({*PIDS[:processes], *living})
    return State(Disk(text, mtime, running), ((),) * processes, frozenset(may))


def every_order(
    take: Callable[..., Any],
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
    game = Game(*[take] * processes)
    first = begin(text, hours, processes, living)

    @cache
    def count(state: State) -> Counter[int]:
        found = Counter[int]()
        for _, _, child in game.after(state):
            found.update(count(child))
        return found or Counter([game.holders(state)])

    ways = game.ways(first).items()
    trace = next((way for state, way in ways if game.holders(state) > 1), [])
    return Orders(count(first), trace)


def explore(
    take: Callable[..., Any],
    back: Callable[..., Any],
    *,
    guard: bool = True,
    token: bool = True,
) -> tuple[int, int, int]:
    """Let two processes take the lock, dream, and apply their changes or roll
    back. One process may crash, one dream may fail, and an hour may pass.

    ``guard`` and ``token``: whether there is a guard, and whether a process
    checks its token before it applies its changes. Returns how many situations
    can occur; in how many of them both processes can apply their changes; and
    in how many one is about to undo the other's lock.
    """

    def dream(lock: FakeLock, pid: int, mine: str) -> Any:
        if not take(lock, pid, mine):
            return "refused"
        before = lock.before
        if not lock.move("dream"):
            return back(lock, mine, before)
        for change in ("apply", "done"):
            with lock.guard():
                if token and not is_ours(lock.read() or "", mine):
                    return "lost the lock"
                lock.move(change)
        return "done"

    game = Game(dream, dream, guard=guard)

    def can_apply(state: State, who: int) -> bool:
        """Tell whether it applies its changes if it goes on alone."""
        while game.next(state, who) in (("dream",), ("guard",), ("read",)):
            alone = [
                child for one, _, child in game.after(state) if one == who
            ]
            if not alone:
                return False
            state = alone[0]
        return game.next(state, who) == ("apply",)

    def undoes(state: State, who: int) -> bool:
        """Tell whether it is about to undo the other's lock."""
        move = game.next(state, who)
        is_back = move[:1] == ("remove",) or (
            move[:1] == ("replace",) and move[2] is not None
        )
        return is_back and f"token {TOKENS[who]}" not in (
            state.disk.text or ""
        )

    states = game.ways(begin("7\n", may=("crash", "failure", "hour")))
    two = sum(can_apply(one, 0) and can_apply(one, 1) for one in states)
    wrong = sum(undoes(one, 0) or undoes(one, 1) for one in states)
    return len(states), two, wrong
