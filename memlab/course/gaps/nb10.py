"""The gaps of notebook 10: the lock."""

from __future__ import annotations

from memlab.course import orders
from memlab.course.gap import Case, Gap
from memlab.dream import lock as machine
from memlab.errors import StoreError

OLD = orders.NOW - 30 * orders.HOUR
DONE = "7\ntoken old\nbefore none\ndone\n"
CRASHED = f"7\ntoken old\nbefore {OLD}\n"

# In these tables, a comma separates the texts of lock files, and / is a line end.
STALE = {
    "rule 3: the lock is stale if and only if its process is not running": (
        "41/,42/,41,41/token 6f/,42/token 6f/,41/42/,42/41/,141/,4/,1/,4194304/"
    ),
    "rule 1: a line after the first one is exactly done": (
        "41/token 6f/done/,41/token 6f/done,41/done/token 6f/,41/token 6f/ done /,"
        "41/token done/,41/token abandoned/,41/undone/,41/Done/,/done/"
    ),
    "rule 1: the first line does not count": "done/",
    "rule 4: a young lock that names no process is not stale": (
        ",/,/41/,hello/,0/,-1/,-42/,+42/, 42/,42 /,4_2/,42.0/,42 43/,4²/,٤٢/,token 6f/42/"
    ),
}


def texts_of(table):
    for rule, texts in table.items():
        for text in texts.split(","):
            yield rule, text.replace("/", "\n")


def stale_locks(rng):
    for rule, text in texts_of(STALE):
        yield Case((text, 0.2), rule)
    rule = "rule 2: at one hour, the lock is stale, whatever it says"
    for hours in (-0.05, 0, 0.999, 1, 30.0):
        for text in ("41\n", "", "hello\n", "0\n"):
            yield Case((text, hours), rule)
    for _ in range(20):
        first = rng.choice(("41", "42", "0", "", "?", str(rng.randint(2, 99))))
        rest = rng.choice(("", "token 6f\n", "done\n", "token done\n"))
        hours = rng.choice((0, 0.5, 1, round(rng.uniform(0, 2), 2)))
        yield Case((f"{first}\n{rest}", hours))


def watch_stale(mine, text, hours):
    def alive(pid):
        if type(pid) is not int or pid <= 0:
            raise ValueError(f"alive({pid!r}): this is no process id")
        return pid in (1, 41)

    return mine(text, hours, alive)


def stale_call(text, hours):
    return f"is_stale({text!r}, {hours}, alive)   # 1 and 41 are running"


is_stale = Gap(
    name="is_stale",
    place="memlab.dream.lock.is_stale",
    cases=stale_locks,
    watch=watch_stale,
    call=stale_call,
    hints=(
        "`text.splitlines()` returns a list of lines. The list is empty if the file is empty.",
        "`int()` accepts more than process ids: `int(' 41')` and `int('4_1')` are both 41."
        " `isdigit()` accepts the digits of every script; `isascii()` leaves only 0 to 9.",
        'For rule 1, `"done" in text` is not enough: a token could contain these four letters.',
    ),
    why="Each of the first three rules ends a wait that might otherwise last forever. Rule 4"
    " protects a process that has created the file but has not written its id yet. It can't block"
    " others for long, because rule 2 comes first.",
    wrong=(
        ("in others", "in text", "exactly done"),
        ("in others", "in [first, *others]", "does not count"),
        ("hours >= 1", "hours > 1", "at one hour"),
        (" and int(first) > 0", "", "names no process"),
        ("first.isascii() and ", "", "names no process"),
        ("return not alive", "return alive", "is not running"),
    ),
)


FREE = (
    ("there is no lock file", None, 0, ()),
    ("the last dream is done", DONE, 26, ()),
    ("process 7 crashed half an hour ago", CRASHED, 0.5, ()),
    ("process 7 crashed in the first dream ever", DONE[:-5], 0.5, ()),
    (
        "the last dream before a crash was at 0",
        "7\ntoken a\nbefore 0\n",
        2,
        (),
    ),
    ("process 7 has been dreaming for an hour", CRASHED, 1, (7,)),
    ("a simpler lock, whose process has ended", "7\n", 40, ()),
    ("the lock file is empty and old", "", 5, ()),
)
BUSY = (
    ("process 7 is dreaming", CRASHED, 0.5, (7,)),
    ("the lock file is empty and young", "", 0.1, ()),
    ("the lock is our own", "41\ntoken 6f\nbefore none\n", 0.5, (41,)),
)
ALL = FREE + BUSY
GUARD = "looking and writing have to be in one block of the guard"
SITUATIONS = (
    (
        "one process",
        FREE,
        "rules 1 and 3: if the lock is free, write three lines",
    ),
    (
        "one process",
        BUSY,
        "rule 2: a lock that is not free, even ours, stays as it is",
    ),
    ("two processes", ALL, GUARD),
    ("three processes", ALL[:3], GUARD),
    (
        "two, and 42 has a dream",
        ALL,
        "rule 3: lock.last() has to be called inside the guard",
    ),
    (
        "two, one may die",
        ALL,
        "rule 4: the file is whole, and a crash blocks nobody",
    ),
    (
        "one is refused",
        BUSY,
        "rule 2: look once, and return False if it is not free",
    ),
)


def situations(rng):
    for kind, starts, rule in SITUATIONS:
        for given in starts:
            yield Case((kind, *given), rule)


def watch_take(mine, kind, words, text, hours, living):
    count = ("one", "two", "three").index(kind.split()[0].strip(",")) + 1
    functions = [mine] * count
    if "dream" in kind:
        functions[1] = whole_dream
    game = orders.Game(*functions)
    may = ["crash"] if "die" in kind else []
    ways = game.ways(orders.begin(text, hours, count, living, may))
    found = {"ends": endings(game, ways)}
    if may:
        found["files"] = sorted({str(state.disk.text) for state in ways})
    elif "refused" in kind:
        guards = sum(way[-1][1] == ("guard",) for way in ways.values() if way)
        found["takes the guard again"] = guards > 1
    else:
        two = [way for state, way in ways.items() if game.holders(state) > 1]
        for way in two[:1]:
            found["two have the lock"] = [
                f"{orders.PIDS[who]} {orders.words_of(move)}"
                for who, move, _ in way
            ]
    return found


def whole_dream(lock, pid, token):
    if not machine.take_lock(lock, pid, token):
        return "refused"
    with lock.guard():
        lock.move("done")
    return "done"


def endings(game, ways):
    """Describe every state in which nothing more can happen."""
    found = set()
    for state in ways:
        if any(game.after(state)):
            continue
        values = zip(orders.PIDS, game.values(state), strict=False)
        said = ", ".join(f"{pid}: {value}" for pid, value in values)
        disk, file = state.disk, "no file"
        if disk.text is not None:
            file = f"{disk.text!r}, {disk.hours():g} hours old"
        found.add(f"{said}; {file}")
    return sorted(found)


def take_call(kind, words, *rest):
    return f"take_lock, {kind}; {words}"


take_lock = Gap(
    name="take_lock",
    place="memlab.dream.lock.take_lock",
    cases=situations,
    watch=watch_take,
    call=take_call,
    raises=(StoreError,),
    hints=(
        "Which moves must not be separated? Looking at the lock, deciding, and writing. Put all of"
        " them into one `with lock.guard():` block; you may `return` from inside it.",
        "`lock.last()` can be None even if there is a lock file: the first dream ever may have"
        " crashed. It can also be 0, which is a time, not None.",
    ),
    why="While a process is inside the guard, no other process can look or write. So the next one"
    " that looks sees the new lock. If a process is killed inside the guard, the operating system"
    " releases the guard, and the lock file is either the old one or the complete new one.",
    wrong=(
        ("with lock.guard():", "if True:", "one block"),
        ('"none" if last is None else last', 'last or "none"', "at 0"),
        ("text is None or", "not text or", "stays as it is"),
        (
            "own = take_lock\ndef take_lock(*given):\n"
            "    return any(own(*given) for _ in range(3))",
            "look once",
        ),
        ("lock.replace(", "lock.write(", "the file is whole"),
        (
            "with",
            "lock.last = lambda old=lock.last(): old\n    with",
            "rule 3: lock",
        ),
    ),
)


OWNERS = {
    "rule 1: one whole line is token, a space, and our token": (
        "41/before none/token 6f/,token 6f/,9/token 6f/"
    ),
    "rule 2: nothing changes if no whole line has our token": (
        "token a0/,token 6fa/,token a6f/,token 6F/,token  6f/,token 6f /,old token 6f/,,41/,6f/"
    ),
    "rule 1: if a whole line is done, the lock is no longer ours": (
        "token 6f/done,token 6f/undone,token 6f/done /,token 6f/done/x,token 6f/abandoned,"
        "41/token 6f/before none/done/,done/token 6f/"
    ),
}


def locks(rng):
    held, done = f"41\ntoken 6f\nbefore {OLD}\n", (DONE, OLD)
    rule = "rule 3: text and mtime are as before; if there was no file, no file stays"
    for before in (None, done, ("7\n", OLD), ("", OLD), ("7\n", 0), ("", 0)):
        yield Case(("alone", held, before), rule)
    for rule, text in texts_of(OWNERS):
        yield Case(("alone", text, done), rule)
    rule = "rule 2: nothing changes if there is no lock"
    yield Case(("alone", None, done), rule)
    for before in (None, done):
        rule = "rule 4: looking and putting back are in one block of the guard"
        yield Case(("while 42 takes over", held, before), rule)
        yield Case(("twice", held, before), "rule 2: a second call is late")
    for before in (("7\n", rng.randint(1, OLD)) for _ in range(5)):
        yield Case(("alone", held, before))


def watch_back(mine, kind, text, before):
    times = 2 if kind == "twice" else 1

    def rolls_back(lock, pid, token):
        results = [mine(lock, token, before) for _ in range(times)]
        return results if times > 1 else results[0]

    functions = [rolls_back]
    if kind == "while 42 takes over":
        functions.append(machine.take_lock)
    game = orders.Game(*functions)
    return endings(game, game.ways(orders.begin(text, 1, len(functions))))


def back_call(kind, text, before):
    call = f'roll_back(lock, "6f", {before}), {kind}'
    return f"{call}\nand lock.read() is {text!r}"


roll_back = Gap(
    name="roll_back",
    place="memlab.dream.lock.roll_back",
    cases=locks,
    watch=watch_back,
    call=back_call,
    raises=(StoreError,),
    hints=(
        "Between looking at the token and putting the old file back, another process must not take"
        " the lock. You know how to prevent that.",
        'Compare whole lines: `"token 6" in text` is also true if the token is `6f`. And the text'
        " from before may be empty: only `before is None` means that there was no file.",
    ),
    why="Only the process that holds the lock may roll it back, and the token says which one that"
    " is. The process id can't, because operating systems reuse ids. The guard makes looking and"
    " putting back a single step.",
    wrong=(
        ("with lock.guard():", "if True:", "one block"),
        ("before is None", "not before or not before[0]", "no file stays"),
        ("lock.replace(text, mtime)", "lock.replace(text)", "text and mtime"),
        ("return False", "return True", "rule 2"),
        ('is_ours(lock.read() or ""', "is_ours(lock.read()", "AttributeError"),
        ("is_ours(", "str.__contains__(", "rule 2"),
        (
            "is_ours(",
            "(lambda text, me: f'token {me}' in text.splitlines())(",
            "is done",
        ),
    ),
)
