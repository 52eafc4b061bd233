# message: at most limit
import math

from memlab.course import my
from memlab.text import stem


def stems(text):
    return {stem(term) for term in my.terms(text)}


def weight(count, total):
    return math.log(1 + (total - count + 0.5) / (count + 0.5))


def keyword_rank(query: str, headers: list, limit: int) -> list:
    wanted = stems(query)
    found = [stems(h.name + " " + h.description) for h in headers]
    scored = []
    for header, own in zip(headers, found):
        shared = wanted & own
        if shared:
            score = sum(
                weight(sum(s in o for o in found), len(headers))
                for s in shared
            )
            scored.append((score, header))
    scored.sort(key=lambda row: row[1].filename)
    scored.sort(key=lambda row: (row[0], row[1].mtime), reverse=True)
    return [header for _, header in scored[: limit or None]]
