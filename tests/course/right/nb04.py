"""Right answers to the gaps of notebook 04, written from its text alone."""

import json
import math
from itertools import groupby

from memlab.course import my
from memlab.text import STOP_WORDS, stem


def terms(text: str) -> list[str]:
    result = []
    for good, run in groupby(text, key=str.isalnum):
        if good:
            word = "".join(run).lower()
            if word not in STOP_WORDS:
                result.append(word)
    return result


def weight(count, total):
    return math.log(1 + (total - count + 0.5) / (count + 0.5))


def stems(text):
    return {stem(term) for term in my.terms(text)}


def keyword_rank(query: str, headers: list, limit: int) -> list:
    # An inverted index: for each stem, the positions of the headers with it.
    where = {}
    for position, header in enumerate(headers):
        for each in set(stems(header.name + " " + header.description)):
            where.setdefault(each, []).append(position)
    parts = {}
    for each in set(stems(query)):
        for position in where.get(each, ()):
            value = weight(len(where[each]), len(headers))
            parts.setdefault(position, []).append(value)
    order = sorted(parts, key=lambda p: headers[p].filename)
    order.sort(key=lambda p: headers[p].mtime, reverse=True)
    # fsum: the order of the summands makes no difference.
    order.sort(key=lambda p: math.fsum(parts[p]), reverse=True)
    return [headers[p] for p in order][:limit]


def read_choice(answer: str) -> list[str]:
    start = answer.find("{")
    end = answer.rfind("}")
    found = json.loads(answer[start : end + 1])
    if "selected_memories" not in found:
        raise ValueError("the object has no key selected_memories")
    names = found["selected_memories"]
    if not isinstance(names, list):
        raise ValueError("selected_memories is not a list")
    return [str(name).strip() for name in names]


def names_to_attach(
    names: list[str], shown: list[str], sizes: dict[str, int], left: int
) -> list[str]:
    taken = []
    for name in dict.fromkeys(names):
        size = sizes[name]
        if name not in shown and size <= left:
            taken.append(name)
            left -= size
    return taken
