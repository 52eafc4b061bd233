"""Locks as steps for the explorer: the naive one, the repairs people try, ours, and ours broken.

Ours is the sequence of calls that ``lock`` makes, one step a call. Left out: exploring them
(``explore``).
"""

from __future__ import annotations

from collections.abc import Mapping

from memlab.dream.explore import NOBODY, Lock, Protocol, Step, World, alive, go

WRITES_AT_ONCE = 1  # in the protocols that write over the lock: the step that does


def free(world: World, lock: Lock | None) -> bool:
    """Tell whether a lock keeps nobody out: none, done, of a dead process, or an hour old."""
    return lock is None or lock.done or not alive(world, lock.pid) or lock.hour < world.now


def look(world: World, process: int) -> World:
    """Look at the lock and give up if someone has it."""
    if not free(world, world.lock):
        return go(world, process, "refuse")
    return go(world, process, "take", world.me[process].step, seen=world.lock, before=world.lock)


def write(world: World, process: int) -> World:
    """Put a lock of one's own in the place of whatever is there now."""
    before = world.me[process].before
    return world._replace(lock=Lock(process, process, world.now, before.hour if before else None))


def verify(world: World, process: int) -> World:
    """Read the lock again and give up if it shows another process."""
    return world if world.lock and world.lock.pid == process else go(world, process, "refuse")


def nothing(world: World, process: int) -> World:
    """Do what no other process can see."""
    return world


def put_back(world: World, process: int) -> World:
    """Put the lock back as it was before this process took it."""
    return world._replace(lock=world.me[process].before)


def remove(world: World, process: int) -> World:
    """Remove the lock, whoever has it."""
    return world._replace(lock=None)


def create(world: World, process: int) -> World:
    """Make the lock, which fails where one is."""
    return write(world, process) if world.lock is None else go(world, process, "refuse")


def wait_for_writers(world: World, process: int) -> World | None:
    """Wait so long that everyone who has looked must have written."""
    others = (me for number, me in enumerate(world.me) if number != process)
    late = any((me.phase, me.step) == ("take", WRITES_AT_ONCE) for me in others)
    return None if late else world


def take_guard(world: World, process: int) -> World | None:
    """Take the guard, or wait for it."""
    return world._replace(guard=process) if world.guard == NOBODY else None


def leave_guard(world: World, process: int) -> World:
    """Let the next one in."""
    return world._replace(guard=NOBODY)


def look_and_mend(world: World, process: int) -> World:
    """Look, and take for "before" what was there before a holder that has not finished."""
    after = look(world, process)
    lock = world.lock
    if after.me[process].phase == "refuse" or lock is None or lock.done or lock.token < 0:
        return after
    before = None if lock.before is None else lock._replace(hour=lock.before, done=True)
    return go(after, process, "take", after.me[process].step, before=before)


def check_token(world: World, process: int) -> World:
    """Look whether the lock is still one's own."""
    mine = world.lock and world.lock.token == process and not world.lock.done
    return world if mine else go(world, process, "lost")


def check_before_back(world: World, process: int) -> World:
    """The same before a rollback, which removes a lock where none was before."""
    return what_was_before(check_token(world, process), process)


def what_was_before(world: World, process: int) -> World:
    """Look without asking whose lock it is."""
    me = world.me[process]
    return go(world, process, "remove") if me.phase == "back" and me.before is None else world


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
    "temporary file, rename", LOOK, TEMPORARY, Step("renames it to the lock", write), VERIFY
)
UNLINK_AND_CREATE = _naive(
    "unlink, create exclusively",
    LOOK,
    Step("removes the old lock", remove),
    Step("makes the lock, if none is there", create),
)
WAIT_AND_VERIFY = _naive("wait, then verify", LOOK, WRITE, Step("waits", nothing), VERIFY)
WAIT_LONG_ENOUGH = _naive(
    "wait longer than any write takes", LOOK, WRITE, Step("waits", wait_for_writers), VERIFY
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
            Step("looks at the lock", look_and_mend),
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
NO_TOKEN = _ours("ours without the token", own=Step("does not ask whose lock it is", nothing))
ANY_ROLLBACK = _ours(
    "ours with any rollback", back=Step("does not ask whose lock it is", what_was_before)
)

NAIVE = (WRITE_THEN_VERIFY, TEMP_AND_RENAME, UNLINK_AND_CREATE, WAIT_AND_VERIFY, WAIT_LONG_ENOUGH)
BROKEN = (NO_GUARD, NO_TOKEN, ANY_ROLLBACK)
