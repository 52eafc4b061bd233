"""The gaps of notebook 09: gates."""

from __future__ import annotations

from memlab.course.gap import Case, Gap


def hours(rng):
    for given in ((23.9, 24), (24, 24), (24.0, 24), (300, 24)):
        yield Case(given, "the gate is open if at least so many hours passed")
    for given in ((13.0, 12), (30, 48), (0.4, 0.5), (0.5, 0.5)):
        yield Case(given, "the limit is not always 24 hours")
    for given in ((None, 24), (None, 0), (None, 0.5), (None, 48)):
        yield Case(given, "None means that no dream is known: it is open")
    for given in ((0, 24), (0.0, 24), (0.0, 0), (23.999, 24)):
        yield Case(given, "0 hours is a number: a dream has just ended")
    for _ in range(12):
        yield Case((round(rng.uniform(0, 48), 1), rng.choice((0.5, 12, 36))))


hours_gate = Gap(
    name="hours_gate",
    place="memlab.dream.gates.hours_gate",
    cases=hours,
    hints=(
        "There are two ways for the gate to be open. Which one can you test"
        " without a number?",
        "`if not hours` is true for None, and also for 0. A dream that ended a"
        " moment ago was 0 hours ago.",
    ),
    why="None and 0 mean opposite things here. None means that no dream is"
    " known, and 0 means that one has just ended. So the code asks for None by"
    " name.",
    wrong=(
        (">=", ">", "at least so many hours"),
        (">=", "<", "at least so many hours"),
        ("hours is None or ", "hours is not None and ", "no dream is known"),
        ("hours is None or ", "not hours or ", "is a number"),
        ("hours >= least", "hours >= 24", "not always 24"),
    ),
)


def sessions(rng):
    week = [("mon.jsonl", 5.0), ("tue.jsonl", 9.0), ("notes.txt", 9.0)]
    for last in (7.0, 4.0, 10.0, 9.0, 5.0):
        rule = "a session counts if it was written later than the last dream"
        yield Case((week, last, "wed"), rule)
    one = [("mon.jsonl", 0.0)]
    for files, current in ((week, "wed"), (week, "tue"), (one, "wed")):
        rule = "if last is None, every session except the current one counts"
        yield Case((files, None, current), rule)
    for files, current in (
        (week, "tue"),
        (week, "tu"),
        ([("tue.old.jsonl", 9.0)], "tue.old"),
        ([("tue.jsonl", 9.0), ("tue2.jsonl", 9.0)], "tue"),
        ([("tue.jsonl", 9.0), ("x-tue.jsonl", 9.0)], "tue"),
        ([("lull.jsonl", 9.0), ("lul.jsonl", 9.0)], "lu"),
        ([("Tue.jsonl", 9.0)], "tue"),
    ):
        rule = "only the current session itself does not count"
        yield Case((files, 7.0, current), rule)
    for name in ("mon.jsonl.bak", "mon.json", "jsonl", "tue", "MON.JSONL"):
        rule = "the name of a transcript ends in .jsonl"
        yield Case(([(name, 9.0)], 7.0, "wed"), rule)
    twins = [("a.jsonl", 9.5), ("b.jsonl", 9.5)]
    yield Case((twins, 9.0, "wed"), "half a second is later, too")
    zero = [("b.jsonl", 0.0), ("a.jsonl", 2.0)]
    yield Case((zero, 0.0, "wed"), "0.0 is a time like any other")
    mixed = [("tue.jsonl", 9.0), ("mon.jsonl", 5.0), ("sun.jsonl", 8.0)]
    yield Case((mixed, 7.0, "wed"), "the files are in any order")
    yield Case((mixed, 4.0, "mon"), "the files are in any order")
    old = [("mon.jsonl", 5.0), ("tue.jsonl", 9.0)]
    yield Case((old, 7.0, "mon"), "the current session may be an old one")
    yield Case(([], None, "wed"), "there may be no file")
    names = ("mon", "mon2", "tue", "tues", "wed", "wed.old", "thu")
    for _ in range(20):
        files = [
            (name + rng.choice((".jsonl", ".txt")), float(rng.randint(1, 9)))
            for name in rng.sample(names, rng.randint(2, 7))
        ]
        last_dream = rng.choice((None, float(rng.randint(1, 9))))
        yield Case((files, last_dream, rng.choice(names)))


count_sessions = Gap(
    name="count_sessions",
    place="memlab.dream.gates.count_sessions",
    cases=sessions,
    hints=(
        "Three things can keep a file from being counted: its ending, its"
        " name, and its time.",
        'Compare whole names: `name == current + ".jsonl"`. The name of one'
        " session may be the beginning of another's.",
        "Test `last is None` before you compare the times.",
    ),
    why="A transcript that was written after the last dream contains something"
    " that no dream has seen. The current one is left out, because its session"
    " will be written to again.",
    wrong=(
        ("time > last", "time >= last", "later than the last dream"),
        ("last is None or", "not last or", "a time like any other"),
        ("last is None or", "last is not None and", "if last is None"),
        (
            'name == f"{current}.jsonl"',
            "name.startswith(current)",
            "the current session itself",
        ),
        (
            'name == f"{current}.jsonl"',
            'name.rstrip(".jsonl") == current',
            "the current session itself",
        ),
        (
            'name.endswith(".jsonl")',
            '".jsonl" in name',
            "ends in .jsonl",
        ),
        (
            'name.endswith(".jsonl")',
            'name.lower().endswith(".jsonl")',
            "ends in .jsonl",
        ),
        (
            "    for name, time in files:\n",
            "    for name, time in reversed(files):\n"
            "        if last is not None and time <= last:\n"
            "            break\n",
            "in any order",
        ),
    ),
)


class Watched:
    """Gates that exist only here, and the calls that were made to them."""

    def __init__(self, answers):
        self.answers = answers
        self.limits = {"time": 24, "throttle": 10, "sessions": 5}
        self.calls = []

    def look(self, name):
        self.calls.append(f"look({name!r})")
        answer = self.answers[name]
        if isinstance(answer, type):
            raise answer("planned")
        return answer

    def pairs(self):
        return [(name, self.opener(name)) for name in self.answers]

    def opener(self, name):
        def is_open(answer):
            self.calls.append(f"is_open({answer!r}) of {name}")
            return answer is None or answer >= self.limits.get(name, 1)

        return is_open


def watch_chain(mine, answers):
    """Return the states, and then the calls."""
    gates = Watched(answers)
    try:
        states = mine(gates.pairs(), gates.look)
    except (RuntimeError, KeyError) as error:
        if "planned" not in str(error):
            raise
        states = f"raises {type(error).__name__}"
    return {"returns": states, "calls": gates.calls}


def chain_call(answers):
    given = [
        f"{name}: raises {answer.__name__}"
        if isinstance(answer, type)
        else f"{name}: {answer!r}"
        for name, answer in answers.items()
    ]
    return f"gate_chain(gates, look), and look finds {', '.join(given)}"


def chains(rng):
    every = {"toggles": 1, "time": 30, "throttle": None, "sessions": 6}
    every["lock"] = 1
    for answers in (
        {"time": 30, "sessions": 2},
        {"time": 3, "sessions": 2},
        {"sessions": 2, "time": 3},
        every,
        *({**every, name: 0} for name in every),
    ):
        rule = "after a shut gate nothing is asked, and each gate has a state"
        yield Case((answers,), rule)
    for answer in (None, 0, 30):
        rule = "None and 0 are answers, too: call is_open with them, once"
        yield Case(({**every, "time": answer},), rule)
    yield Case(({},), "there may be no gate")
    for error in (OSError, PermissionError, TimeoutError):
        for name in ("time", "sessions", "lock"):
            rule = "if look raises OSError, the gate is shut, without is_open"
            yield Case(({**every, name: error},), rule)
    for other in (RuntimeError, KeyError):
        rule = "any exception other than OSError comes through"
        yield Case(({**every, "sessions": other},), rule)
    for _ in range(25):
        names = rng.sample(list(every), rng.randint(1, 5))
        answers = {
            name: rng.choice((None, 0, 24, 50, OSError)) for name in names
        }
        yield Case((answers,))


gate_chain = Gap(
    name="gate_chain",
    place="memlab.dream.gates.gate_chain",
    cases=chains,
    watch=watch_chain,
    call=chain_call,
    hints=(
        "You need one loop over the gates, and a variable that remembers"
        " whether a gate was shut.",
        "Call `look(name)` only inside the loop, and only while no gate is"
        " shut. If you collect all the answers first, every gate costs"
        " something on every turn.",
        "Put only `look(name)` into `try`. After `except OSError:`, the gate"
        " is shut, and the loop goes on, because the gates that are left also"
        " need a state.",
    ),
    why="An answer costs something when it is fetched. The loop fetches an"
    " answer only while all the gates before were open, so one shut gate saves"
    " the cost of all the gates after it.",
    wrong=(
        ("except OSError", "except Exception", "other than OSError"),
        ("except OSError", "except PermissionError", "OSError"),
        ("            shut = True\n", "            pass\n", "OSError"),
        (
            "            shut = True\n",
            "            shut = not is_open(None)\n",
            "without is_open",
        ),
        (
            "shut = not is_open(answer)",
            "shut = bool(answer) and not is_open(answer)",
            "after a shut gate",
        ),
        (
            "shut = not is_open(answer)",
            "shut = answer is not None and not is_open(answer)",
            "after a shut gate",
        ),
        (
            '            states.append((name, "not asked"))\n'
            "            continue\n",
            "            break\n",
            "has a state",
        ),
        ('"not asked"', '"shut"', "has a state"),
        ("if shut:", "if shut and not states:", "after a shut gate"),
    ),
)
