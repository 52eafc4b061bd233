"""The exercises of notebook 04: build a ranking by words, flood one, read why nothing came.

Left out: BM25 to the letter. Any ranking will do that drops little words, cuts endings and lets a
rare word count more than a common one.
"""

from __future__ import annotations

from memlab.course.exercise import Exercise, Wrong
from memlab.course.exercises.nb04_cases import flooding_cases, keyword_cases, why_cases
from memlab.recall.keyword import keyword_rank

_KEYWORD_RANK = Exercise(
    name="my_keyword_rank",
    notebook=4,
    kind="build",
    returns=list,
    part="keyword_rank",
    default=keyword_rank,
    starter='''\
from memlab.text import STOP_WORDS


def my_keyword_rank(query: str, headers: list, limit: int) -> list:
    """Give the headers that share a word with the query, best first, at most limit.

    A header has name, description, filename and mtime. Little words (STOP_WORDS) and
    endings do not count, a rare word counts more. Ties: newest first, then file name.

    >>> my_keyword_rank("How are you?", headers, 5)
    []
    """
    raise NotImplementedError
''',
    solution="""\
import math
import re
from memlab.text import STOP_WORDS


def my_keyword_rank(query: str, headers: list, limit: int) -> list:
    def terms(text):
        plain = re.findall(r"[a-z0-9]+", text.lower())
        return {re.sub(r"(ing|ed|es|s|e)$", "", word) for word in plain if word not in STOP_WORDS}

    held = [terms(f"{h.name} {h.description} {h.filename[:-3]}") for h in headers]

    def score(number):
        shared = terms(query) & held[number]
        holders = {term: sum(term in each for each in held) for term in shared}
        return sum(math.log(1 + len(held) / holders[term]) for term in sorted(shared))

    scores = {number: score(number) for number in range(len(headers))}
    found = [number for number in scores if scores[number] > 0]
    found.sort(
        key=lambda n: (-scores[n], -headers[n].mtime.timestamp(), headers[n].filename)
    )
    return [headers[number] for number in found[:limit]]
""",
    why=(
        "Three things turn counting into ranking: words that say nothing are dropped, spellings of "
        "one word meet in one stem, and the logarithm lets a word that one memory holds outweigh a "
        "word that all hold."
    ),
    hints=(
        "First write a function that turns any text into a set of stems, and use it for the query "
        "and for the headers alike.",
        "Count for each stem in how many headers it stands; `math.log(1 + n / count)` is a weight "
        "that is large for a rare one.",
        "Sort by `(-score, -header.mtime.timestamp(), header.filename)`, and leave out score 0.",
    ),
    wrong=(
        Wrong(
            "def my_keyword_rank(query, headers, limit):\n"
            "    words = query.lower().split()\n"
            "    hits = [h for h in headers if any(w in h.description.lower() for w in words)]\n"
            "    return hits[:limit]\n",
            "little words",
        ),
        Wrong(
            "import re\nfrom memlab.text import STOP_WORDS\n\n\n"
            "def my_keyword_rank(query, headers, limit):\n"
            "    def terms(text):\n"
            "        return set(re.findall('[a-z0-9]+', text.lower())) - STOP_WORDS\n\n"
            "    def score(h):\n"
            "        return len(terms(query) & terms(h.name + ' ' + h.description))\n\n"
            "    found = sorted((h for h in headers if score(h)), key=lambda h: -score(h))\n"
            "    return found[:limit]\n",
            "cut the endings",
        ),
        Wrong(
            "import re\nfrom memlab.text import STOP_WORDS, stem\n\n\n"
            "def my_keyword_rank(query, headers, limit):\n"
            "    def terms(text):\n"
            "        found = set(re.findall('[a-z0-9]+', text.lower())) - STOP_WORDS\n"
            "        return {stem(word) for word in found}\n\n"
            "    def score(h):\n"
            "        text = ' '.join([h.name, h.description, h.filename])\n"
            "        return len(terms(query) & terms(text))\n\n"
            "    found = [h for h in headers if score(h)]\n"
            "    found.sort(key=lambda h: (-score(h), -h.mtime.timestamp(), h.filename))\n"
            "    return found[:limit]\n",
            "tells more than one that many hold",
        ),
        Wrong("def my_keyword_rank(query, headers, limit):\n    return []\n", "tabs.md"),
    ),
    cases=keyword_cases,
)

_FLOODING_LINE = Exercise(
    name="my_flooding_line",
    notebook=4,
    kind="break",
    returns=str,
    starter='''\
def my_flooding_line(queries: list[str], rivals: list[str]) -> str:
    """Write a description that keyword_rank puts first for every one of the queries.

    The rivals are the other memories' descriptions. One line, at most 300 characters.

    >>> my_flooding_line(["Where is the ferry?"], ["the ferry and its age"])
    'ferry ferry ferry'
    """
    raise NotImplementedError
''',
    solution="""\
def my_flooding_line(queries: list[str], rivals: list[str]) -> str:
    return " ".join(queries).replace("?", "")
""",
    why=(
        "A ranking by words believes the description, so one that repeats what people ask takes a "
        "place in every turn, and only a limit on its length and a person who reads the store "
        "stand against that."
    ),
    hints=(
        "Which words does a query share with the description that wins?",
        "The line may hold all the queries at once.",
    ),
    wrong=(
        Wrong(
            "def my_flooding_line(queries, rivals):\n    return queries[0]\n",
            "ranks first for every query",
        ),
        Wrong(
            "def my_flooding_line(queries, rivals):\n    return '\\n'.join(queries)\n",
            "one line",
        ),
        Wrong(
            "def my_flooding_line(queries, rivals):\n    return ' '.join(queries * 9)\n",
            "300 characters",
        ),
    ),
    cases=flooding_cases,
)

_WHY_MISSING = Exercise(
    name="my_why_missing",
    notebook=4,
    kind="diagnose",
    returns=str,
    starter='''\
def my_why_missing(log: list[dict], file: str) -> str:
    """Say what became of a memory in the newest recall of an event log.

    "attached", "late" (it came, for the next turn), the reason under left_out, or
    "not chosen by model" / "not chosen by fallback"; "no recall" where none is logged.
    A turn logs select, recall and prefetch, in this order.

    >>> my_why_missing([], "tabs.md")
    'no recall'
    """
    raise NotImplementedError
''',
    solution="""\
def my_why_missing(log: list[dict], file: str) -> str:
    newest = {line["event"]: line for line in log}
    if "recall" not in newest:
        return "no recall"
    recall = newest["recall"]
    if file in recall["attached"]:
        return "late" if newest["prefetch"]["when"] == "late" else "attached"
    for reason, files in recall["left_out"].items():
        if reason != "not chosen" and file in files:
            return reason
    return f"not chosen by {newest['select']['by']}"
""",
    why=(
        "Three events tell the whole story of a memory in a turn: who chose, what was left out and "
        "why, and whether it came in time; users who cannot read that can only guess."
    ),
    hints=(
        "A dict from event name to line, filled from the oldest to the newest, keeps the newest.",
        "attached decides first, then when of prefetch; after that look through left_out.",
        "Under 'not chosen' stands a number and no list: whoever is nowhere else was not chosen.",
    ),
    wrong=(
        Wrong(
            "def my_why_missing(log, file):\n"
            "    for line in log:\n"
            "        if line['event'] == 'recall' and file in line['attached']:\n"
            "            return 'attached'\n"
            "    return 'no recall'\n",
            "next turn",
        ),
        Wrong(
            "def my_why_missing(log, file):\n"
            "    if not log:\n        return 'no recall'\n"
            "    select, recall, prefetch = log[:3]\n"
            "    if file in recall['attached']:\n"
            "        return 'late' if prefetch['when'] == 'late' else 'attached'\n"
            "    for reason, files in recall['left_out'].items():\n"
            "        if reason != 'not chosen' and file in files:\n"
            "            return reason\n"
            "    return 'not chosen by ' + select['by']\n",
            "only the newest turn",
        ),
        Wrong(
            "def my_why_missing(log, file):\n"
            "    if not log:\n        return 'no recall'\n"
            "    select, recall, prefetch = log[-3:]\n"
            "    if file in recall['attached']:\n"
            "        return 'late' if prefetch['when'] == 'late' else 'attached'\n"
            "    return 'not chosen by ' + select['by']\n",
            "newest",
        ),
    ),
    cases=why_cases,
)

EXERCISES: tuple[Exercise, ...] = (_KEYWORD_RANK, _FLOODING_LINE, _WHY_MISSING)
