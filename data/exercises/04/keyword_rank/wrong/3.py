# message: counts more than one
import math

from memlab.course import my
from memlab.text import stem


def stems(text):
    return {stem(term) for term in my.terms(text)}


def weight(count, total):
    return math.log(1 + (total - count + 0.5) / (count + 0.5))


def keyword_rank(query: str, headers: list, limit: int) -> list:
    wanted = stems(query)
    scored = []
    for header in headers:
        shared = wanted & stems(header.name + " " + header.description)
        if shared:
            scored.append((len(shared), header))
    scored.sort(key=lambda row: row[1].filename)
    scored.sort(key=lambda row: (row[0], row[1].mtime), reverse=True)
    return [header for _, header in scored[:limit]]
