"""The exercises of notebook 10: account for every loss, lose something quietly, mend a night.

Left out: dreams themselves. A memory is a text under a name here.
"""

from __future__ import annotations

from memlab.course.exercise import Exercise, Wrong
from memlab.course.exercises.nb10_cases import night_cases, quiet_cases, review_cases, unaccounted

_REVIEW = Exercise(
    name="my_unaccounted",
    notebook=10,
    kind="build",
    returns=list,
    part="unaccounted",
    default=unaccounted,
    starter='''\
def my_unaccounted(before: dict, after: dict, reasons: dict) -> list:
    """List the files of before that lost a line nobody accounts for, sorted.

    before and after map a file to its text, reasons a file that is gone to the dreamer's
    word for it. A line is kept if at least 0.7 of its words stand in one text of after,
    whichever that is; words(text) of memlab.text lists them. A file that is gone is excused
    by its reason, unless that begins with "superseded by": this is a claim, so look.

    >>> my_unaccounted({"a.md": "tabs only", "b.md": "ask first"}, {"a.md": "tabs only"}, {})
    ['b.md']
    """
    raise NotImplementedError
''',
    solution="""\
def my_unaccounted(before: dict, after: dict, reasons: dict) -> list:
    from memlab.text import words

    places = [set(words(text)) for text in after.values()]

    def kept(line):
        told = words(line)
        return any(sum(word in place for word in told) >= 0.7 * len(told) for place in places)

    def excused(file):
        reason = reasons.get(file, "")
        return file not in after and reason and not reason.startswith("superseded by")

    return sorted(
        file
        for file, text in before.items()
        if not excused(file) and not all(kept(line) for line in text.splitlines() if line.strip())
    )
""",
    why=(
        "Whoever proposes a removal cannot be the one who judges it, and what code can judge is "
        "whether the words are still there."
    ),
    hints=(
        "Make a set of words of each text in after, once. A line is kept if one of these sets has "
        "at least 0.7 of its words.",
        "Excused is a file that is not in after, has a reason, and whose reason does not begin "
        "with superseded by.",
        "An empty line has no words and is no loss. A file that is in after is looked at too.",
    ),
    wrong=(
        Wrong(
            "def my_unaccounted(before, after, reasons):\n"
            "    return sorted(f for f in before if f not in after and not reasons.get(f))\n",
            "is a loss only if one of its lines stands nowhere",
        ),
        Wrong(
            "def my_unaccounted(before, after, reasons):\n"
            "    from memlab.text import words\n"
            "    places = [set(words(t)) for t in after.values()]\n"
            "    def kept(line):\n"
            "        told = words(line)\n"
            "        return any(sum(w in p for w in told) >= 0.7 * len(told) for p in places)\n"
            "    return sorted(f for f, t in before.items() if not reasons.get(f)\n"
            "                  and not all(map(kept, t.splitlines())))\n",
            "is a claim",
        ),
        Wrong(
            "def my_unaccounted(before, after, reasons):\n"
            "    from memlab.text import words\n"
            "    place = {w for t in after.values() for w in words(t)}\n"
            "    def kept(line):\n"
            "        told = words(line)\n"
            "        return sum(w in place for w in told) >= 0.7 * len(told)\n"
            "    def excused(f):\n"
            "        why = reasons.get(f, '')\n"
            "        return f not in after and why and not why.startswith('superseded by')\n"
            "    return sorted(f for f, t in before.items() if not excused(f)\n"
            "                  and not all(map(kept, t.splitlines())))\n",
            "not spread over several",
        ),
    ),
    cases=review_cases,
)

_QUIET = Exercise(
    name="my_quiet_loss",
    notebook=10,
    kind="break",
    returns=dict,
    starter='''\
def my_quiet_loss(memories: dict, file: str) -> dict:
    """Give the memories after a dream that loses what one file says, unseen by a naive check.

    The naive check asks whether every file is still there and none is shorter than it was.
    The other memories stay as they are.

    >>> after = my_quiet_loss({"a.md": "tabs only", "b.md": "ask first"}, "b.md")
    >>> after["a.md"], len(after["b.md"]) >= 9
    ('tabs only', True)
    """
    raise NotImplementedError
''',
    solution="""\
def my_quiet_loss(memories: dict, file: str) -> dict:
    text = "There are style preferences, and they are important. "
    return memories | {file: text * (len(memories[file]) // len(text) + 1)}
""",
    why=(
        "Counting files and bytes sees a thief who leaves with a bag, and not one who leaves a "
        "stone of the same weight."
    ),
    hints=(
        "What did compaction make of tabs and single quotes in notebook 00?",
        "Any words will do, as long as they are not those of the memory and there are enough.",
    ),
    wrong=(
        Wrong(
            "def my_quiet_loss(memories, file):\n"
            "    return {f: t for f, t in memories.items() if f != file}\n",
            "counts files and characters",
        ),
        Wrong(
            "def my_quiet_loss(memories, file):\n    return {**memories, file: '(merged)'}\n",
            "counts files and characters",
        ),
        Wrong(
            "def my_quiet_loss(memories, file):\n"
            "    return {f: 'style preferences ' * 20 for f in memories}\n",
            "keep the other memories",
        ),
    ),
    cases=quiet_cases,
)

_NIGHT = Exercise(
    name="my_undo_list",
    notebook=10,
    kind="diagnose",
    returns=list,
    starter='''\
def my_undo_list(journal: list[dict]) -> list[str]:
    """List the changes to undo, newest first: dreams that removed a file without a reason.

    A line of the journal, oldest first, has id, who, removed (file -> reason, "" for none)
    and undoes (the id of a change that it took back, or ""). What was taken back already
    needs no second undo.

    >>> my_undo_list([{"id": "c1", "who": "dream", "removed": {"a.md": ""}, "undoes": ""}])
    ['c1']
    """
    raise NotImplementedError
''',
    solution="""\
def my_undo_list(journal: list[dict]) -> list[str]:
    undone = {line["undoes"] for line in journal}
    return [
        line["id"]
        for line in reversed(journal)
        if line["who"] == "dream"
        and line["id"] not in undone
        and "" in line["removed"].values()
    ]
""",
    why=(
        "A journal that says who removed what and why turns a lost night into a list of ids, as "
        "long as every change kept what was there before."
    ),
    hints=(
        "Collect first the ids that some line undoes.",
        'A removal without a reason: "" stands among the values of removed.',
        "Walk the journal from its end, with reversed(journal).",
    ),
    wrong=(
        Wrong(
            "def my_undo_list(journal):\n"
            "    return [j['id'] for j in reversed(journal)\n"
            "            if j['who'] == 'dream' and j['removed']]\n",
            "only those without a reason",
        ),
        Wrong(
            "def my_undo_list(journal):\n"
            "    return [j['id'] for j in reversed(journal)\n"
            "            if j['who'] == 'dream' and '' in j['removed'].values()]\n",
            "needs no second undo",
        ),
        Wrong(
            "def my_undo_list(journal):\n"
            "    gone = {j['undoes'] for j in journal}\n"
            "    return [j['id'] for j in journal if j['id'] not in gone\n"
            "            and j['who'] == 'dream' and '' in j['removed'].values()]\n",
            "the newest first",
        ),
    ),
    cases=night_cases,
)

EXERCISES: tuple[Exercise, ...] = (_REVIEW, _QUIET, _NIGHT)
