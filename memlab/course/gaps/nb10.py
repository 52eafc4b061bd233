"""The gaps of notebook 10: the lock."""

from __future__ import annotations

from memlab.course.gap import Case, Gap
from memlab.course.orders import (
    HOUR,
    NOW,
    PIDS,
    TOKENS,
    WORDS,
    Game,
    State,
    start,
    takers,
    way_to_two,
)
from memlab.dream import lock as machine

REST = "token 6f\nbefore none\n"
OLD = NOW - 30 * HOUR
DONE = "7\ntoken old\nbefore none\ndone\n"
CRASHED = f"7\ntoken old\nbefore {OLD}\n"
FIRST_CRASHED = "7\ntoken old\nbefore none\n"


def stale_locks(rng):
    rule = "rule 3: the lock is stale exactly if its process is not running"
    for text in ("41\n", "42\n", "41", f"41\n{REST}", f"42\n{REST}"):
        yield Case((text, 0.5), rule)
    for text in ("41\n42\n", "42\n41\n", "141\n", "4\n", "1\n", "4194304\n"):
        yield Case((text, 0.2), rule)
    yield Case(("41\n", -0.05), rule)
    rule = "rule 1: a line after the first one is exactly done"
    for rest in (
        f"{REST}done\n",
        f"{REST}done",
        "done\ntoken 6f\n",
        "token 6f\n done \n",
        "token done\nbefore none\n",
        "token abandoned\nbefore none\n",
        f"{REST}undone\n",
        f"{REST}Done\n",
    ):
        yield Case((f"41\n{rest}", 0.1), rule)
    yield Case(("\ndone\n", 0.5), rule)
    rule = "rule 2: at one hour, the lock is stale, whatever it says"
    for text, hours in (("41\n", 1), ("41\n", 0.999), ("41\n", 30.0)):
        yield Case((text, hours), rule)
    for text in ("", "hello\n", "0\n"):
        yield Case((text, 1.0), rule)
    rule = "rule 4: a young lock that names no process is not stale"
    for first in ("", "\n41", "hello", "0", "-1", "-42", "+42", " 42", "42 "):
        yield Case((f"{first}\n", 0.2), rule)
    for first in ("4_2", "42.0", "42 43", "4²", "٤٢", "token 6f\n42"):
        yield Case((f"{first}\n", 0.2), rule)
    yield Case(("", 0), rule)
    yield Case(("done\n", 0.5), "rule 1: the first line does not count")
    for _ in range(20):
        first = rng.choice(("41", "42", "0", "", "?", str(rng.randint(2, 99))))
        rest = rng.choice(("", REST, f"{REST}done\n", "token done\n"))
        hours = rng.choice((0, 0.5, 1, round(rng.uniform(0, 2), 2)))
        yield Case((f"{first}\n{rest}", hours))


def watch_stale(mine, text, hours):
    def alive(pid):
        if type(pid) is not int or pid <= 0:
            raise ValueError(f"alive({pid!r}): this is no process id")
        return pid in (1, 41)

    return mine(text, hours, alive)


is_stale = Gap(
    name="is_stale",
    place="memlab.dream.lock.is_stale",
    cases=stale_locks,
    watch=watch_stale,
    call=lambda text, hours: (
        f"is_stale({text!r}, {hours}, alive)   # 1 and 41 are running"
    ),
    hints=(
        "`text.splitlines()` returns a list of lines. The list is empty if the"
        " file is empty.",
        "`int()` accepts more than a process id: `int(' 41')` and"
        " `int('4_1')` are both 41, and `int('-1')` is -1. `isdigit()` accepts"
        " digits of every script, and `isascii()` excludes the others.",
        'For rule 1, `"done" in text` is not enough: a token could contain'
        " these four letters.",
    ),
    why="Each of the first three rules ends the wait for something that may"
    " never happen. Rule 4 protects a process that has created the file and"
    " not written its id yet. It can't block others for long, because rule 2"
    " comes first.",
    wrong=(
        ("in others", "in text", "exactly done"),
        ("in others", "in [first, *others]", "does not count"),
        ("hours >= 1", "hours > 1", "at one hour"),
        ('"done" in others or hours', "hours", "exactly done"),
        (" and int(first) > 0", "", "names no process"),
        ("first.isascii() and ", "", "names no process"),
        ("return not alive", "return alive", "is not running"),
        ("    return False\n", "    return True\n", "names no process"),
        ('text.splitlines() or [""]', "text.splitlines()", "ValueError"),
        (
            "hours >= 1",
            "(hours >= 1 and not first.isdigit())",
            "at one hour",
        ),
    ),
)


STARTS = (
    ("there is no lock file", None, 0, ()),
    ("the last dream is done", DONE, 26, ()),
    ("process 7 is dreaming", CRASHED, 0.5, (7,)),
    ("process 7 crashed half an hour ago", CRASHED, 0.5, ()),
    ("process 7 crashed in the first dream ever", FIRST_CRASHED, 0.5, ()),
    ("process 7 has been dreaming for an hour", CRASHED, 1, (7,)),
    ("a lock of a simpler kind, whose process ended", "7\n", 40, ()),
    ("the lock file is empty and young", "", 0.1, ()),
    ("the lock file is empty and old", "", 5, ()),
)


def starts(rng):
    for given in STARTS:
        free = given[0] not in (
            "process 7 is dreaming",
            "the lock file is empty and young",
        )
        rule = "rules 1 to 3: if the lock is free, three lines are written"
        if not free:
            rule = "rule 2: a lock that is not free stays as it is"
        yield Case(("one process", *given), rule)
    rule = "rule 3: the last complete dream, which may have been at 0"
    for before in (0, rng.randint(1, OLD)):
        text = f"7\ntoken old\nbefore {before}\n"
        yield Case(("one process", "process 7 crashed", text, 0.5, ()), rule)
    own = ("the lock is our own", f"41\n{REST}", 0.5, (41,))
    rule = "rule 2: a lock that is not free stays as it is, even our own"
    yield Case(("one process", *own), rule)
    rule = "rule 2: look once, and return False if the lock is not free"
    yield Case(("7 ends when 41 has left the guard", *STARTS[2]), rule)
    for given in STARTS:
        rule = "looking and writing have to be in one block of the guard"
        yield Case(("two processes", *given), rule)
    for given in STARTS[:2]:
        yield Case(("three processes", *given), rule)
    for given in STARTS[:2]:
        rule = "rule 3: lock.last() has to be asked inside the guard"
        yield Case(("42 has a whole dream meanwhile", *given), rule)
    for given in STARTS:
        rule = "rules 4 and 5: the file is whole, and a crash blocks nobody"
        yield Case(("two processes, one may be killed", *given), rule)


def watch_take(mine, kind, words, text, hours, living):
    functions = takers(mine, 3 if kind == "three processes" else 2)
    if kind.startswith("42"):
        functions[1] = whole_dream
    if kind.startswith(("one process", "7")):
        functions = functions[:1]
    game = Game(functions, living)
    disk = start(text, hours)
    if kind.startswith("7"):
        return end_after_guard(game, disk)
    crashes = int("killed" in kind)
    first = State(disk, ((),) * len(functions), crashes)
    states = list(game.states(first))
    found = {"ends": endings(game, states)}
    if crashes:
        found["files"] = sorted({str(state.disk.text) for state in states})
    elif two := way_to_two(game, first):
        found["two have the lock"] = [
            f"{PIDS[move.process]} {WORDS[move.name].format(*move.given)}"
            for move in two
        ]
    return found


def whole_dream(lock):
    """Take the lock as 42, and end the dream well."""
    if not machine.take_lock(lock, PIDS[1], TOKENS[1]):
        return "refused"
    with lock.guard():
        lock._move("done")
    return "done"


def end_after_guard(game, disk):
    """Run 41 alone; when it leaves the guard, the dream of 7 ends."""
    state, ended = State(disk, ((),)), disk._replace(text=f"{CRASHED}done\n")
    while (step := game.moved(state, 0)) is not None:
        move, state = step
        if move.name == "leave" and state.disk == disk:
            state = state._replace(disk=ended)
    if state.disk == disk:
        state = state._replace(disk=ended)
    return {"ends": endings(game, [state])}


def endings(game, states):
    """Describe every state in which nothing more can happen."""
    found = set()
    for state in states:
        if any(game.after(state)):
            continue
        values = zip(PIDS, game.values(state), strict=False)
        said = ", ".join(f"{pid}: {value}" for pid, value in values)
        disk, file = state.disk, "no file"
        if disk.text is not None:
            age = (disk.now - disk.mtime) / HOUR
            file = f"{disk.text!r}, {age:g} hours old"
        found.add(f"{said}; {file}")
    return sorted(found)


take_lock = Gap(
    name="take_lock",
    place="memlab.dream.lock.take_lock",
    cases=starts,
    watch=watch_take,
    call=lambda kind, words, *rest: f"take_lock, {kind}; {words}",
    hints=(
        "Which moves must not be separated? Looking at the lock, deciding, and"
        " writing. Put all of them into one `with lock.guard():` block.",
        "You may `return` from inside the block. The guard is released in any"
        " case.",
        "`lock.last()` can be None even if there is a lock file: the first"
        " dream ever may have crashed. And it can be 0, which is a time and"
        " not None.",
    ),
    why="While a process is inside the guard, no other process can look or"
    " write. So whoever looks next sees the new lock. If a process is killed"
    " inside the guard, the operating system releases the guard, and the lock"
    " file is either the old one or the complete new one.",
    wrong=(
        ("    with lock.guard():\n", "    if True:\n", "one block"),
        ("text is None or", "not text or", "stays as it is"),
        ('"none" if last is None else last', 'last or "none"', "at 0"),
        ("token {token}\\n", "{token}\\n", "three lines"),
        ("        if not is_free:\n            return False\n", "", "stays"),
        (
            "own = take_lock\ndef take_lock(*given):\n"
            "    return any(own(*given) for _ in range(3))",
            "look once",
        ),
        (
            "    with lock.guard():\n        text = lock.read()\n",
            "    text = lock.read()\n    with lock.guard():\n",
            "one block",
        ),
        (
            "        lock.replace(",
            '        lock.replace(f"{pid}\\n")\n        lock.replace(',
            "the file is whole",
        ),
        (
            "    with lock.guard():\n",
            "    last = lock.last()\n    lock.last = lambda: last\n"
            "    with lock.guard():\n",
            "asked inside the guard",
        ),
        (
            "        if not is_free:\n",
            '        if f"token {token}" in (text or ""):\n'
            "            return True\n        if not is_free:\n",
            "even our own",
        ),
    ),
)


def locks(rng):
    done, held = (DONE, OLD), f"41\ntoken 6f\nbefore {OLD}\n"
    rule = "rule 3: text and mtime are as before, and no file stays no file"
    for before in (None, done, ("7\n", OLD), ("", OLD), ("7\n", 0), ("", 0)):
        yield Case(("alone", held, before), rule)
    rule = "rule 1: one whole line is token, a space, and our token"
    for text in ("41\nbefore none\ntoken 6f\n", "token 6f\n", "9\ntoken 6f\n"):
        yield Case(("alone", text, done), rule)
    rule = "rule 2: nothing changes if no whole line has our token"
    for line in ("a0", "6fa", "a6f", "6F", " 6f", "6f ", "x\nold token 6f"):
        yield Case(("alone", f"41\ntoken {line}\nbefore none\n", done), rule)
    for text in (None, "", "41\n", "6f\n"):
        yield Case(("alone", text, None), rule)
    rule = "rule 1: a lock of which a whole line is done is not ours any more"
    for line in ("done", "undone", "done \n", "done\nx", "abandoned"):
        yield Case(("alone", f"{held}{line}", done), rule)
    yield Case(("alone", "done\ntoken 6f\n", None), rule)
    for _ in range(10):
        token = rng.choice(("6f", "6f", "a0", "6f6f"))
        text = f"{rng.randint(2, 99)}\ntoken {token}\nbefore none\n"
        before = rng.choice((None, (DONE, rng.randint(1, OLD))))
        yield Case(("alone", text + rng.choice(("", "done\n")), before))
    for before in (None, done):
        rule = "rule 4: looking and putting back are one block of the guard"
        yield Case(("while 42 takes over", held, before), rule)
        yield Case(("twice", held, before), "rule 2: the second call is late")


def watch_back(mine, kind, text, before):
    functions = [lambda lock: mine(lock, "6f", before)]
    if kind == "twice":
        functions = [lambda lock: [mine(lock, "6f", before) for _ in "12"]]
    if kind == "while 42 takes over":
        functions.append(takers(machine.take_lock, 2)[1])
    game = Game(functions)
    states = game.states(State(start(text, 1), ((),) * len(functions)))
    return {"ends": endings(game, states)}


def back_call(kind, text, before):
    call = f'roll_back(lock, "6f", {before}), {kind}'
    return f"{call}\nand lock.read() is {text!r}"


roll_back = Gap(
    name="roll_back",
    place="memlab.dream.lock.roll_back",
    cases=locks,
    watch=watch_back,
    call=back_call,
    hints=(
        "Between looking at the token and putting the old file back, another"
        " process must not take the lock. You know how to prevent that.",
        'Compare whole lines. `"token 6" in text` is also true if the token is'
        " `6f`.",
        "The text from before may be empty, and the mtime may be 0. Only"
        " `before is None` means that there was no file.",
    ),
    why="Whoever holds the lock at this moment decides what happens to it, and"
    " the token says who that is. The process id can't say it, because ids are"
    " used again. The guard makes looking and putting back one step.",
    wrong=(
        ("    with lock.guard():\n", "    if True:\n", "one block"),
        ("before is None", "not before or not before[0]", "no file stays"),
        ("lock.replace(text, mtime)", "lock.replace(text)", "text and mtime"),
        ("            return False\n", "            return True\n", "rule 2"),
        (
            'not is_ours(lock.read() or "", token)',
            'f"token {token}" not in (lock.read() or "")',
            "no whole line has",
        ),
        (
            'not is_ours(lock.read() or "", token)',
            'f"token {token}" not in (lock.read() or "").splitlines()',
            "whole line is done",
        ),
        (
            'not is_ours(lock.read() or "", token)',
            "not is_ours(lock.read(), token)",
            "AttributeError",
        ),
        (
            'not is_ours(lock.read() or "", token)',
            '(lock.read() or "").split("\\n")[1:2] != [f"token {token}"]',
            "rule 1: one whole line",
        ),
        (
            "        if not is_ours",
            "        pass\n    if True:\n        if not is_ours",
            "one block",
        ),
    ),
)
