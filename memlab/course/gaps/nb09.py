"""The gaps of notebook 09: gates."""

from __future__ import annotations

from memlab.course.gap import Case, Gap

HOURS = {
    "at least so many hours have to pass": [(23.999, 24), (24, 24), (300, 24)],
    "the limit is not always 24 hours": [
        (13.0, 12),
        (30, 48),
        (0.4, 0.5),
        (0.5, 0.5),
    ],
    "None: no dream is known, so the gate is open": [(None, 48), (None, 0)],
    "0 hours is a number: a dream has just ended": [(0, 24), (0.0, 0)],
}


def by_rule(rules):
    for rule, inputs in rules.items():
        for given in inputs:
            yield Case(given, rule)


def hours(rng):
    yield from by_rule(HOURS)
    for _ in range(12):
        yield Case((round(rng.uniform(0, 48), 1), rng.choice((0.5, 12, 36))))


hours_gate = Gap(
    name="hours_gate",
    place="memlab.dream.gates.hours_gate",
    cases=hours,
    hints=(
        "The gate is open in two cases. Which one can you test without comparing numbers?",
        "`if not hours` is also true for 0: a dream that has just ended was 0 hours ago.",
    ),
    why="None means that no dream is known, and 0 means that one has just ended. So the code"
    " tests for None explicitly.",
    wrong=(
        (">=", ">", "at least so many hours"),
        (">=", "<", "at least so many hours"),
        ("hours is None or ", "hours is not None and ", "no dream is known"),
        ("hours is None or ", "not hours or ", "is a number"),
        ("hours >= least", "hours >= 24", "not always 24"),
    ),
)


def sessions(rng):
    week = [
        ("mon.jsonl", 5.5),
        ("tue.jsonl", 9.0),
        ("old.jsonl", 0.0),
        ("a.txt", 9.0),
    ]
    names = ("tue", "tue2", "x-tue", "tue.old", "lull", "lul", "Lu")
    much = [(f"{name}.jsonl", 9.0) for name in names]
    other = [
        (name, 9.0) for name in ("a.jsonl.bak", "a.json", "jsonl", "A.JSONL")
    ]
    yield from by_rule(
        {
            "a session counts if it was written later than the last dream": [
                (week, last, "wed") for last in (7.0, 4.0, 10.0, 9.0, 5.0, 5.5)
            ],
            "if last is None, every session except the current one counts": [
                (week, None, current) for current in ("wed", "tue")
            ],
            "only the current session itself does not count": [
                (much, 7.0, current)
                for current in ("tue", "tu", "tue.old", "lu")
            ],
            "the name of a transcript ends in .jsonl": [(other, 7.0, "wed")],
            "0.0 is a time like any other": [(week, 0.0, "wed")],
            "the files are in any order": [(week[::-1], 4.0, "tue")],
            "the current session may be an old one": [(week, 7.0, "mon")],
            "there may be no files": [([], None, "wed")],
        }
    )
    for _ in range(20):
        files = [
            (name, rng.randint(1, 9))
            for name, _ in rng.sample(much + other, 5)
        ]
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
        ("count += 1", "return 1", "later than the last dream"),
        ("last is None or", "not last or", "a time like any other"),
        ("last is None or", "last is not None and", "if last is None"),
        (
            'name == f"{current}.jsonl"',
            "name.startswith(current)",
            "session itself",
        ),
        ('name.endswith(".jsonl")', '".jsonl" in name', "ends in .jsonl"),
    ),
)


def watch_chain(mine, answers):
    calls = []

    def look(name):
        calls.append(f"look({name!r})")
        if isinstance(answers[name], type):
            raise answers[name]("planned")
        return answers[name]

    def gate(name):
        def is_open(answer):
            calls.append(f"is_open({answer!r}) of {name}")
            return answer is None or answer >= 5

        return name, is_open

    return {
        "returns": mine([gate(name) for name in answers], look),
        "calls": calls,
    }


def chain_call(answers):
    found = {
        name: getattr(each, "__name__", each) for name, each in answers.items()
    }
    return f"gate_chain(gates, look), where look returns (or raises):\n{found}"


def chains(rng):
    every = {
        "toggles": 9,
        "time": 30,
        "throttle": None,
        "sessions": 6,
        "lock": 5,
    }
    rules = {
        "after a shut gate nothing is asked, and each gate has a state": [
            {"time": 30, "sessions": 2},
            {"time": 3, "sessions": 2},
            every,
            *({**every, name: 0} for name in every),
        ],
        "None and 0 are answers, too: call is_open with them, once": [
            {**every, "time": answer} for answer in (None, 0)
        ],
        "there may be no gates": [{}],
        "if look raises OSError, the gate is shut, without is_open": [
            {**every, name: OSError} for name in ("time", "sessions", "lock")
        ],
        "any exception other than OSError comes through": [
            {**every, "sessions": error} for error in (RuntimeError, KeyError)
        ],
    }
    for rule, inputs in rules.items():
        yield from (Case((answers,), rule) for answers in inputs)
    for _ in range(25):
        names = rng.sample(list(every), rng.randint(1, 5))
        kinds = (None, 0, 24, 50, PermissionError)
        yield Case(({name: rng.choice(kinds) for name in names},))


gate_chain = Gap(
    name="gate_chain",
    place="memlab.dream.gates.gate_chain",
    cases=chains,
    watch=watch_chain,
    call=chain_call,
    raises=(RuntimeError, KeyError),
    hints=(
        "You need one loop over the gates, and a variable that remembers whether a gate was"
        " shut. Call `look(name)` only if none has been shut so far.",
        "Put only `look(name)` into `try`. After `except OSError:`, the gate is shut, and the"
        " loop goes on, because the other gates also need a state.",
    ),
    why="Getting an answer costs something, so one shut gate saves the cost of all the gates"
    " after it.",
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
