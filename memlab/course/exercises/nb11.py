"""The exercises of notebook 11: what two weeks cost, and who wrote what stands there.

Left out: money. Prices change; a cost is in units of one uncached input token.
"""

from __future__ import annotations

from memlab.course.exercise import Exercise, Wrong
from memlab.course.exercises.nb11_cases import bill_cases, journal_cases

_BILL = Exercise(
    name="my_bill",
    notebook=11,
    kind="build",
    returns=list,
    starter='''\
def my_bill(calls: list[dict]) -> list[tuple[str, int]]:
    """Sum what calls cost, by purpose: the dearest first, equal ones by name.

    A call has purpose, uncached, created, read and output, all in tokens. In units of
    one uncached token, created costs 1.25, read 0.1, output 5. Round the sums, then sort.

    >>> my_bill([{"purpose": "main", "uncached": 0, "created": 0, "read": 90, "output": 2}])
    [('main', 19)]
    """
    raise NotImplementedError
''',
    solution="""\
def my_bill(calls: list[dict]) -> list[tuple[str, int]]:
    sums = {}
    for call in calls:
        tokens = call["uncached"] + 1.25 * call["created"] + 0.1 * call["read"]
        cost = tokens + 5 * call["output"]
        sums[call["purpose"]] = sums.get(call["purpose"], 0) + cost
    rows = [(purpose, round(cost)) for purpose, cost in sums.items()]
    return sorted(rows, key=lambda row: (-row[1], row[0]))
""",
    why=(
        "Tokens of four kinds have four prices, so a bill by purpose tells what a dream or a "
        "recall really costs, which a count of calls does not."
    ),
    hints=(
        "A dict from purpose to cost; get(purpose, 0) begins each sum.",
        "sorted(rows, key=lambda row: (-row[1], row[0])) has the dearest first.",
    ),
    wrong=(
        Wrong(
            "def my_bill(calls):\n"
            "    sums = {}\n"
            "    for c in calls:\n"
            "        n = c['uncached'] + c['created'] + c['read'] + c['output']\n"
            "        sums[c['purpose']] = sums.get(c['purpose'], 0) + n\n"
            "    return sorted(sums.items(), key=lambda row: (-row[1], row[0]))\n",
            "created at 1.25",
        ),
        Wrong(
            "def my_bill(calls):\n"
            "    sums = {}\n"
            "    for c in calls:\n"
            "        n = c['uncached'] + 1.25 * c['created'] + 0.1 * c['read'] + 5 * c['output']\n"
            "        sums[c['purpose']] = sums.get(c['purpose'], 0) + n\n"
            "    return [(name, round(cost)) for name, cost in sums.items()]\n",
            "the dearest purpose stands first",
        ),
    ),
    cases=bill_cases,
)

_WRITER = Exercise(
    name="my_writer",
    notebook=11,
    kind="diagnose",
    returns=str,
    starter='''\
def my_writer(journal: list[dict], file: str) -> str:
    """Name who wrote what a file holds now; "" if there is no such file.

    An entry has what ("write", "remove" or "undo"), file and who; oldest first. An undo
    takes back the newest change of its file that still counts, whoever asked for it.

    >>> my_writer([{"what": "write", "file": "a.md", "who": "extractor"}], "a.md")
    'extractor'
    """
    raise NotImplementedError
''',
    solution="""\
def my_writer(journal: list[dict], file: str) -> str:
    changes = []
    for entry in journal:
        if entry["file"] != file:
            continue
        if entry["what"] == "undo":
            changes.pop()
        else:
            changes.append(entry)
    if not changes or changes[-1]["what"] == "remove":
        return ""
    return changes[-1]["who"]
""",
    why=(
        "With three writers on one directory the question is never whether a file changed but "
        "who changed it, and a journal that names them answers it after any undo."
    ),
    hints=(
        "Keep the changes of that file in a list; what does an undo do to the list?",
        "The last change that is left says it all: who wrote it, or that the file is gone.",
    ),
    wrong=(
        Wrong(
            "def my_writer(journal, file):\n"
            "    who = [e['who'] for e in journal if e['file'] == file]\n"
            "    return who[-1] if who else ''\n",
            "Likely slip",
        ),
        Wrong(
            "def my_writer(journal, file):\n"
            "    who = [e['who'] for e in journal if e['file'] == file and e['what'] == 'write']\n"
            "    return who[-1] if who else ''\n",
            "Likely slip",
        ),
    ),
    cases=journal_cases,
)

EXERCISES: tuple[Exercise, ...] = (_BILL, _WRITER)
