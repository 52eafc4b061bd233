"""The exercises of notebook 09: build the gates, break a lock, find the one that stays shut.

Left out: the disk. A look is a function here, a schedule a list of names, an event a line.
"""

from __future__ import annotations

from memlab.course.exercise import Exercise, Wrong
from memlab.course.exercises.nb09_cases import chain_cases, log_cases, schedule_cases
from memlab.dream.gates import gate_chain

_GATE_CHAIN = Exercise(
    name="my_gate_chain",
    notebook=9,
    kind="build",
    returns=str,
    part="gate_chain",
    default=gate_chain,
    starter='''\
def my_gate_chain(look, limits: dict) -> str:
    """Name the first shut gate, "" if all are open; look at nothing after a shut one.

    look("toggles"): are dreams allowed? look("time"): hours since the last dream,
    None for never; look("throttle"): minutes since the last session scan, None for
    not yet; look("sessions"): how many since then; look("lock"): does someone hold it?
    In this order. limits has the least "time", "throttle" and "sessions" that open.

    >>> facts = {"toggles": True, "time": 3}
    >>> my_gate_chain(facts.get, {"time": 24, "throttle": 10, "sessions": 5})
    'time'
    """
    raise NotImplementedError
''',
    solution="""\
def my_gate_chain(look, limits: dict) -> str:
    if not look("toggles"):
        return "toggles"
    for gate in ("time", "throttle", "sessions"):
        value = look(gate)
        if value is not None and value < limits[gate]:
            return gate
    return "lock" if look("lock") else ""
""",
    why=(
        "A look costs when it is taken and not when it is written down, so the order of the "
        "questions is the price list, and the first no ends the bill."
    ),
    hints=(
        "One if for each gate, in the order of the docstring, each with its own return.",
        "None means that there is nothing to wait for: such a gate is open, and so is one at its "
        "limit.",
        "Call look(…) where you need the answer, never before: a look at the sessions lists a "
        "folder.",
    ),
    wrong=(
        Wrong(
            "def my_gate_chain(look, limits):\n"
            "    gates = ('toggles', 'time', 'throttle', 'sessions', 'lock')\n"
            "    facts = {g: look(g) for g in gates}\n"
            "    return next((g for g in gates[1:4] if (facts[g] or 0) < limits[g]), '')\n",
            "was looked at",
        ),
        Wrong(
            "def my_gate_chain(look, limits):\n"
            "    if not look('toggles'):\n        return 'toggles'\n"
            "    for g in ('time', 'throttle', 'sessions'):\n"
            "        v = look(g)\n"
            "        if v is not None and v <= limits[g]:\n            return g\n"
            "    return 'lock' if look('lock') else ''\n",
            "at its limit",
        ),
        Wrong(
            "def my_gate_chain(look, limits):\n"
            "    if not look('toggles'):\n        return 'toggles'\n"
            "    for g in ('time', 'throttle', 'sessions'):\n"
            "        if (look(g) or 0) < limits[g]:\n            return g\n"
            "    return 'lock' if look('lock') else ''\n",
            "None means never",
        ),
        Wrong(
            "def my_gate_chain(look, limits):\n"
            "    if not look('toggles'):\n        return 'toggles'\n"
            "    for g in ('time', 'throttle', 'sessions'):\n"
            "        v = look(g)\n"
            "        if v is not None and v < limits[g]:\n            return g\n"
            "    return '' if look('lock') else 'lock'\n",
            "a held lock shuts",
        ),
    ),
    cases=chain_cases,
)

_TWO_HOLDERS = Exercise(
    name="my_two_holders",
    notebook=9,
    kind="break",
    returns=list,
    starter='''\
def my_two_holders(first: str, second: str, steps: list) -> list:
    """Order the steps of two processes so that both end up holding a naive lock.

    Each name stands in the answer once for each of its steps, which are, in order, for
    example ["look", "write", "verify"]. look: gives up if another holds the lock.
    write: puts its name in. verify: gives up if another name is there. The lock is
    stale at first. Other steps do nothing.

    >>> my_two_holders("a", "b", ["look", "write", "verify"]).count("a")
    3
    """
    raise NotImplementedError
''',
    solution="""\
def my_two_holders(first: str, second: str, steps: list) -> list:
    looks = steps.index("look") + 1
    rest = len(steps) - looks
    return [first] * looks + [second] * looks + [first] * rest + [second] * rest
""",
    why=(
        "Between looking and writing nothing is held, so whoever has looked already will write "
        "over a winner who has verified and has no reason to look again."
    ),
    hints=(
        "After the first has written, a look of the second would make it give up. When must "
        "both look?",
        "When the first verifies, the second must not have written yet.",
    ),
    wrong=(
        Wrong(
            "def my_two_holders(first, second, steps):\n"
            "    return [first] * len(steps) + [second] * len(steps)\n",
            "both have to look before one writes",
        ),
        Wrong(
            "def my_two_holders(first, second, steps):\n"
            "    return [name for _ in steps for name in (first, second)]\n",
            "verify before the other writes",
        ),
        Wrong(
            "def my_two_holders(first, second, steps):\n"
            "    return [first, second, first, first, second, second]\n",
            "once for each of its steps",
        ),
    ),
    cases=schedule_cases,
)

_STALE_LOCK = Exercise(
    name="my_stale_lock",
    notebook=9,
    kind="diagnose",
    returns=list,
    starter='''\
def my_stale_lock(lines: list) -> list:
    """Find the dead process that shuts others out: [its id, how often], [] if there is none.

    A line is a name and key=value pairs. Of interest: "process_started pid=41",
    "process_ended pid=41", and "gate_shut gate=lock holder=41", which is lost if 41 had
    ended by then. An id may be given again to a new process. At most one process is to blame.
    Other lines have other pairs, and the other gates have no holder.

    >>> my_stale_lock(["process_ended pid=41", "gate_shut gate=lock holder=41"])
    [41, 1]
    """
    raise NotImplementedError
''',
    solution="""\
def my_stale_lock(lines: list) -> list:
    gone, blamed = set(), []
    for line in lines:
        name, *pairs = line.split()
        told = dict(pair.split("=") for pair in pairs)
        if name == "process_ended":
            gone.add(told["pid"])
        elif name == "process_started":
            gone.discard(told["pid"])
        elif name == "gate_shut" and told["gate"] == "lock" and told["holder"] in gone:
            blamed.append(int(told["holder"]))
    return [blamed[0], len(blamed)] if blamed else []
""",
    why=(
        "A lock outlives its holder, so a lock that is only ever removed by its holder ends "
        "dreaming for good, without an error anywhere."
    ),
    hints=(
        'dict(pair.split("=") for pair in line.split()[1:]) gives the pairs of a line.',
        "Keep the set of processes that have ended; a start takes an id out of it again.",
        "Being refused by a holder that still runs is no fault.",
    ),
    wrong=(
        Wrong(
            "def my_stale_lock(lines):\n"
            "    shut = [l for l in lines if 'gate=lock' in l]\n"
            "    return [int(shut[0].split('holder=')[1].split()[0]), len(shut)] if shut else []\n",
            "still runs",
        ),
        Wrong(
            "def my_stale_lock(lines):\n"
            "    gone = {l.split('=')[1] for l in lines if l.startswith('process_ended')}\n"
            "    lost = [l.split('holder=')[1].split()[0] for l in lines if 'holder=' in l]\n"
            "    lost = [int(h) for h in lost if h in gone]\n"
            "    return [lost[0], len(lost)] if lost else []\n",
            "by then",
        ),
    ),
    cases=log_cases,
)

EXERCISES: tuple[Exercise, ...] = (_GATE_CHAIN, _TWO_HOLDERS, _STALE_LOCK)
