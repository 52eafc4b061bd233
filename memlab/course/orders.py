"""Runs functions that take a lock, and roll it back, in every order of their
moves.

A function gets a lock file that exists only here, and each call to it is one
*move*. To make one more move, the function is run again from its start: the
moves it has made return what they returned before, and the next one stops it.
So ordinary functions can be interleaved, without threads. They must not keep
anything between two runs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any, NamedTuple

from memlab.course.show import Table, table
from memlab.dream import lock as machine

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
    "done": "marks its dream as done",
}


class Disk(NamedTuple):
    """The lock file, the process that has the guard, the time, and who died.
    Times are in nanoseconds.
    """

    text: str | None = None
    mtime: int = 0
    guard: int | None = None
    now: int = NOW
    dead: frozenset[int] = frozenset()

    def before(self) -> tuple[str, int] | None:
        """Return the state before an unfinished dream, as memlab does."""
        if self.text is None:
            return None
        return machine.before_it((self.text, self.mtime))


class State(NamedTuple):
    """A disk, what each process's moves have returned (None if it died), and
    how many crashes, failed dreams and hours may still come.
    """

    disk: Disk
    made: tuple[tuple[Any, ...] | None, ...]
    crashes: int = 0
    failures: int = 0
    hours: int = 0


class Move(NamedTuple):
    """A move of a process, and the text of the lock file afterwards."""

    process: int
    name: str
    given: tuple[Any, ...]
    text: str | None


class _StopHere(BaseException):
    """The function wants to make a move that it has not made before."""


class FakeLock:
    """What a function gets. ``phase`` says what it is doing in a whole dream:
    *take*, *dream*, *back* or *end*.
    """

    def __init__(self, made: tuple[Any, ...]) -> None:
        self._made = list(made)
        self.next: tuple[Any, ...] | None = None
        self.phase = "take"
        self.before: Any = None

    def _move(self, *move: Any) -> Any:
        if self.next is None and self._made:
            return self._made.pop(0)
        self.next = self.next or move
        raise _StopHere

    def read(self) -> Any:
        """Return the text of the lock file; None if there is no file."""
        return self._move("read")

    def hours(self) -> Any:
        """Return the age of the lock file in hours."""
        return self._move("hours")

    def last(self) -> Any:
        """Return the time of the last complete dream."""
        return self._move("last")

    def alive(self, pid: int) -> Any:
        """Say whether a process is running."""
        if type(pid) is not int or pid <= 0:
            raise ValueError(f"alive({pid!r}): this is no process id")
        return self._move("alive", pid)

    def create(self, text: str) -> Any:
        """Create the lock file and return True, if there is none."""
        return self._move("create", text)

    def write(self, text: str) -> None:
        """Write into the lock file; a crash may leave it empty."""
        self.before = self._move("write", text)

    def replace(self, text: str, mtime: int | None = None) -> None:
        """Put a whole new file in the place of the lock file."""
        self.before = self._move("replace", text, mtime)

    def remove(self) -> None:
        """Delete the lock file."""
        self._move("remove")

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Keep all others out of such a block."""
        self._move("guard")
        try:
            yield
        finally:
            self._move("leave")


def act(
    disk: Disk, who: int, move: tuple[Any, ...], living: Collection[int]
) -> tuple[Disk, Any] | None:
    """Make a move; gives the disk and the result, or None if the process has
    to wait.
    """
    match move:
        case ("guard",) if disk.guard is not None:
            return None
        case ("guard",):
            return disk._replace(guard=who), None
        case ("leave",):
            return disk._replace(guard=None), None
        case ("read",):
            return disk, disk.text
        case ("hours",):
            age = 0 if disk.text is None else disk.now - disk.mtime
            return disk, age / HOUR
        case ("last",):
            before = disk.before()
            return disk, None if before is None else before[1]
        case ("alive", pid):
            return disk, pid in living and pid not in disk.dead
        case ("remove",):
            return disk._replace(text=None, mtime=0), None
        case ("done",):
            return disk._replace(text=f"{disk.text or ''}done\n"), None
        case ("create", _) if disk.text is not None:
            return disk, False
        case ("create" | "write" | "replace", text, *mtime):
            when = disk.now if mtime in ([], [None]) else mtime[0]
            made = True if move[0] == "create" else disk.before()
            return disk._replace(text=text, mtime=when), made
    return disk, None


class Game:
    """Functions, each run by a process of its own, and the moves they can
    make.
    """

    def __init__(
        self,
        functions: Sequence[Callable[[FakeLock], Any]],
        living: Collection[int] = (),
        *,
        guard: bool = True,
    ) -> None:
        self.functions = functions
        self.living = {*PIDS[: len(functions)], *living}
        self.guard = guard
        self.step = cache(self._step)

    def _step(
        self, who: int, made: tuple[Any, ...] | None
    ) -> tuple[tuple[Any, ...] | None, Any, str]:
        """Return the next move of a process, or else what it has returned,
        and its phase.
        """
        if made is None:
            return None, "died", "end"
        if len(made) > MOST_MOVES:
            return None, f"still trying after {MOST_MOVES} moves", "end"
        lock = FakeLock(made)
        value = None
        with suppress(_StopHere):
            value = self.functions[who](lock)
        return lock.next, value, lock.phase if lock.next else "end"

    def moved(self, state: State, who: int) -> tuple[Move, State] | None:
        """Let a process make its next move; None if it can't."""
        made = state.made[who]
        move, _, _ = self.step(who, made)
        if move is None:
            return None
        done: tuple[Disk, Any] | None = state.disk, None
        if self.guard or move[0] not in ("guard", "leave"):
            done = act(state.disk, who, move, self.living)
        if done is None:
            return None
        result = True if move[0] == "dream" else done[1]
        after = self._with(state, who, (*(made or ()), result))
        text = done[0].text
        return Move(who, move[0], move[1:], text), after._replace(disk=done[0])

    def _with(self, state: State, who: int, made: Any) -> State:
        return state._replace(
            made=(*state.made[:who], made, *state.made[who + 1 :])
        )

    def after(self, state: State) -> Iterator[tuple[Move, State]]:
        """Give all that can happen next."""
        running = False
        for who, made in enumerate(state.made):
            move, _, _ = self.step(who, made)
            if move is None or made is None:
                continue
            running = True
            if (done := self.moved(state, who)) is not None:
                yield done
            if move == ("dream",) and state.failures:
                fewer = state._replace(failures=state.failures - 1)
                failed = Move(who, "dream", (), state.disk.text)
                yield failed, self._with(fewer, who, (*made, False))
            if state.crashes:
                yield self._crash(state, who, move)
        if running and state.hours:
            later = state.disk._replace(now=state.disk.now + HOUR)
            yield (
                Move(0, "hour", (), later.text),
                state._replace(disk=later, hours=state.hours - 1),
            )

    def _crash(
        self, state: State, who: int, move: tuple[Any, ...]
    ) -> tuple[Move, State]:
        """Let a process die; a plain write that it had begun is left half
        done, and the guard is released.
        """
        disk = state.disk
        if move[0] == "write" or (move[0] == "create" and disk.text is None):
            disk = disk._replace(text="", mtime=disk.now)
        guard = None if disk.guard == who else disk.guard
        dead = disk.dead | {PIDS[who]}
        gone = state._replace(
            disk=disk._replace(guard=guard, dead=dead),
            crashes=state.crashes - 1,
        )
        return Move(who, "dies", (), disk.text), self._with(gone, who, None)

    def values(self, state: State) -> tuple[Any, ...]:
        """Return what each process has returned; of one that is waiting in the
        end, that it waits.
        """
        found = []
        for who, made in enumerate(state.made):
            move, value, _ = self.step(who, made)
            found.append(value if move is None else "waits for the guard")
        return tuple(found)

    def states(self, first: State) -> dict[State, tuple[State, Move] | None]:
        """Return every state that can occur, the nearest first, and how it
        comes about.
        """
        came: dict[State, tuple[State, Move] | None] = {first: None}
        queue = deque([first])
        while queue:
            state = queue.popleft()
            for move, child in self.after(state):
                if child not in came:
                    came[child] = state, move
                    queue.append(child)
        return came


class Orders(NamedTuple):
    """How many orders there are, by the number of processes that got the
    lock, and one of the shortest with two holders.
    """

    counts: dict[int, int]
    trace: tuple[Move, ...]

    def __repr__(self) -> str:
        words = ["no holder", "1 holder", "2 holders", "3 holders"]
        parts = [
            f"{words[holders]}: {count}"
            for holders, count in sorted(self.counts.items())
        ]
        return f"{sum(self.counts.values())} orders ({', '.join(parts)})"

    @property
    def moves(self) -> Table:
        """The shortest order with two holders, move by move."""
        rows = []
        for number, made in enumerate(self.trace, 1):
            content = "no file" if made.text is None else made.text.strip()
            words = WORDS[made.name].format(*made.given)
            content = content.replace("\n", " · ")
            rows.append((number, PIDS[made.process], words, content))
        return table(
            rows, ("move", "process", "what it does", "lock file afterwards")
        )


def takers(
    take: Callable[..., Any], processes: int
) -> list[Callable[[FakeLock], Any]]:
    """Return the function as each process calls it."""

    def taker(who: int) -> Callable[[FakeLock], Any]:
        return lambda lock: take(lock, PIDS[who], TOKENS[who])

    return [taker(who) for who in range(processes)]


def start(text: str | None, hours: float = 100) -> Disk:
    """Return a disk with a lock file of this age, or without one."""
    if text is None:
        return Disk()
    return Disk(text, NOW - round(hours * HOUR))


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
    game = Game(takers(take, processes), living)
    first = State(start(text, hours), ((),) * processes)

    def holders(state: State) -> int:
        return sum(value is True for value in game.values(state))

    @cache
    def count(state: State) -> dict[int, int]:
        found: dict[int, int] = {}
        for _, child in game.after(state):
            for number, orders in count(child).items():
                found[number] = found.get(number, 0) + orders
        return found or {holders(state): 1}

    counts = count(first)
    return Orders(counts, way_to_two(game, first) if max(counts) > 1 else ())


def way_to_two(game: Game, first: State) -> tuple[Move, ...]:
    """Return the moves of one of the shortest orders with two holders; none if
    there is no such order.
    """
    came = game.states(first)
    for state in came:
        if sum(value is True for value in game.values(state)) > 1:
            moves = []
            while (step := came[state]) is not None:
                state, move = step
                moves.append(move)
            return tuple(reversed(moves))
    return ()


class Report(NamedTuple):
    """How many situations can occur; in how many two processes can apply their
    changes, and in how many one is about to undo another's lock.
    """

    situations: int
    two_can_apply: int
    wrong_rollback: int


def explore(
    take: Callable[..., Any],
    back: Callable[..., Any],
    *,
    guard: bool = True,
    token: bool = True,
    crashes: int = 0,
    failures: int = 0,
    hours: int = 0,
    processes: int = 2,
) -> Report:
    """Let processes take the lock, dream, and apply their changes or roll
    back, and visit every situation.

    ``guard`` and ``token``: whether there is a guard, and whether a process
    checks its token before it applies its changes. Then: how many processes
    may crash, how many dreams may fail, and how many hours may pass.
    """

    def dream(lock: FakeLock, pid: int, mine: str) -> Any:
        if not take(lock, pid, mine):
            return "refused"
        lock.phase, before = "dream", lock.before
        if not lock._move("dream"):
            lock.phase = "back"
            return back(lock, mine, before)
        for change in ("apply", "done"):
            with lock.guard():
                if token and not machine.is_ours(lock.read() or "", mine):
                    return "lost the lock"
                lock._move(change)
            lock.phase = "end"
        return "done"

    game = Game(takers(dream, processes), guard=guard)

    def can_apply(state: State, who: int) -> bool:
        while game.step(who, state.made[who])[2] == "dream":
            if game.step(who, state.made[who])[0] == ("apply",):
                return True
            if (moved := game.moved(state, who)) is None:
                return False
            state = moved[1]
        return False

    def undoes(state: State, who: int) -> bool:
        move, _, phase = game.step(who, state.made[who])
        is_change = move is not None and move[0] in ("replace", "remove")
        if phase != "back" or not is_change:
            return False
        return f"token {TOKENS[who]}" not in (state.disk.text or "")

    first = State(start("7\n"), ((),) * processes, crashes, failures, hours)
    everyone = range(processes)
    two = wrong = 0
    states = game.states(first)
    for state in states:
        two += sum(can_apply(state, who) for who in everyone) > 1
        wrong += any(undoes(state, who) for who in everyone)
    return Report(len(states), two, wrong)
