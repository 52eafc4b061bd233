"""The gaps of notebook 09: gates."""

from __future__ import annotations

from memlab.course.gap import Case, Gap


def by_rule(rules):
    for rule, inputs in rules.items():
        for given in inputs:
            yield Case(given, rule)


def hours(rng):
    rules = {
        "the gate is open if at least so many hours passed": [
            (23.9, 24),
            (24, 24),
            (300, 24),
        ],
        "the limit is not always 24 hours": [
            (13.0, 12),
            (30, 48),
            (0.4, 0.5),
            (0.5, 0.5),
        ],
        "None means that no dream is known: it is open": [
            (None, 24),
            (None, 0),
            (None, 48),
        ],
        "0 hours is a number: a dream has just ended": [
            (0, 24),
            (0.0, 0),
            (23.999, 24),
        ],
    }
    yield from by_rule(rules)
    for _ in range(12):
        yield Case((round(rng.uniform(0, 48), 1), rng.choice((0.5, 12, 36))))


hours_gate = Gap(
    name="hours_gate",
    place="memlab.dream.gates.hours_gate",
    cases=hours,
    hints=(
        "There are two ways to be open. Which one can you test without a number?",
        "`if not hours` is also true for 0: a dream that has just ended was 0 hours ago.",
    ),
    why="None means that no dream is known, and 0 that one has just ended. So the code asks"
    " for None by name.",
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
    names = ("tue", "tue2", "x-tue", "tue.old", "lull", "lul", "Lu")
    much = [(f"{name}.jsonl", 9.0) for name in names]
    other = [
        (name, 9.0) for name in ("a.jsonl.bak", "a.json", "jsonl", "A.JSONL")
    ]
    rules = {
        "a session counts if it was written later than the last dream": [
            *((week, last, "wed") for last in (7.0, 4.0, 10.0, 9.0, 5.0, 8.9)),
            ([("a.jsonl", 9.5)], 9.0, "wed"),
        ],
        "if last is None, every session except the current one counts": [
            *(
                (week, None, "wed"),
                (week, None, "tue"),
                ([("a.jsonl", 0.0)], None, "wed"),
            )
        ],
        "only the current session itself does not count": [
            (much, 7.0, current) for current in ("tue", "tu", "tue.old", "lu")
        ],
        "the name of a transcript ends in .jsonl": [(other, 7.0, "wed")],
        "0.0 is a time like any other": [([("b.jsonl", 0.0)], 0.0, "wed")],
        "the files are in any order": [
            (week[::-1], 4.0, "tue"),
            (week[::-1], 7.0, "wed"),
        ],
        "the current session may be an old one": [(week, 7.0, "mon")],
        "there may be no file": [([], None, "wed")],
    }
    yield from by_rule(rules)
    for _ in range(20):
        some = [
            name + rng.choice((".jsonl", ".txt"))
            for name in rng.sample(names, 4)
        ]
        files = [(name, rng.randint(1, 9)) for name in some]
        yield Case((files, rng.choice((None, 3, 6)), rng.choice(names)))


count_sessions = Gap(
    name="count_sessions",
    place="memlab.dream.gates.count_sessions",
    cases=sessions,
    hints=(
        "Three things can keep a file from being counted: its ending, its name, and its time."
        " Test `last is None` before you compare the times.",
        'Compare whole names: `name == current + ".jsonl"`. The name of one session may be the'
        " beginning of another's.",
    ),
    why="A transcript that was written after the last dream contains something that no dream"
    " has seen. The current session will be written to again.",
    wrong=(
        ("time > last", "time >= last", "later than the last dream"),
        ("last is None or", "not last or", "a time like any other"),
        ("last is None or", "last is not None and", "if last is None"),
        (
            'name == f"{current}.jsonl"',
            "name.startswith(current)",
            "current session itself",
        ),
        ('name.endswith(".jsonl")', '".jsonl" in name', "ends in .jsonl"),
        (
            "            count += 1\n",
            "            count += 1\n            break\n",
            "later",
        ),
    ),
)


def watch_chain(mine, answers):
    calls, limits = [], {"time": 24, "throttle": 10, "sessions": 5}

    def look(name):
        calls.append(f"look({name!r})")
        if isinstance(answers[name], type):
            raise answers[name]("planned")
        return answers[name]

    def gate(name):
        def is_open(answer):
            calls.append(f"is_open({answer!r}) of {name}")
            return answer is None or answer >= limits.get(name, 1)

        return name, is_open

    try:
        return {
            "returns": mine([gate(name) for name in answers], look),
            "calls": calls,
        }
    except (RuntimeError, KeyError) as error:
        return {"raises": repr(error), "calls": calls}


def chain_call(answers):
    found = {
        name: getattr(each, "__name__", each) for name, each in answers.items()
    }
    return f"gate_chain(gates, look), and look finds (or raises):\n{found}"


def chains(rng):
    every = {
        "toggles": 1,
        "time": 30,
        "throttle": None,
        "sessions": 6,
        "lock": 1,
    }
    rules = {
        "after a shut gate nothing is asked, and each gate has a state": [
            *({"time": 30, "sessions": 2}, {"time": 3, "sessions": 2}, every),
            *({**every, name: 0} for name in every),
        ],
        "None and 0 are answers, too: call is_open with them, once": [
            {**every, "time": answer} for answer in (None, 0)
        ],
        "there may be no gate": [{}],
        "if look raises OSError, the gate is shut, without is_open": [
            {**every, name: error}
            for name in ("time", "sessions", "lock")
            for error in (OSError, PermissionError)
        ],
        "any exception other than OSError comes through": [
            {**every, "sessions": error} for error in (RuntimeError, KeyError)
        ],
    }
    for rule, inputs in rules.items():
        yield from by_rule({rule: [(answers,) for answers in inputs]})
    for _ in range(25):
        names = rng.sample(list(every), rng.randint(1, 5))
        yield Case(
            ({name: rng.choice((None, 0, 24, 50, OSError)) for name in names},)
        )


gate_chain = Gap(
    name="gate_chain",
    place="memlab.dream.gates.gate_chain",
    cases=chains,
    watch=watch_chain,
    call=chain_call,
    hints=(
        "You need one loop over the gates, and a variable that remembers whether a gate was"
        " shut. Call `look(name)` only while none was.",
        "Put only `look(name)` into `try`. After `except OSError:`, the gate is shut, and the"
        " loop goes on, because the other gates also need a state.",
    ),
    why="An answer costs something when it is fetched, so one shut gate saves the cost of all"
    " the gates after it.",
    wrong=(
        ("except OSError", "except Exception", "other than OSError"),
        ("            shut = True\n", "            pass\n", "OSError"),
        ("shut = True\n", "shut = not is_open(None)\n", "without is_open"),
        (
            "not is_open(answer)",
            "answer and not is_open(answer)",
            "after a shut gate",
        ),
        ("            continue\n", "            break\n", "has a state"),
        ("if shut:", "if shut and not states:", "after a shut gate"),
    ),
)
