# message: the newer header comes first
import math

from memlab.course import my
from memlab.text import stem


def stems(text):
    return {stem(term) for term in my.terms(text)}


def weight(count, total):
    return math.log(1 + (total - count + 0.5) / (count + 0.5))


def keyword_rank(query: str, headers: list, limit: int) -> list:
    wanted = stems(query)
    found = {id(h): stems(f"{h.name} {h.description}") for h in headers}

    def score(header):
        return sum(
            weight(sum(s in own for own in found.values()), len(headers))
            for s in wanted & found[id(header)]
        )

    matching = [h for h in headers if wanted & found[id(h)]]
    return sorted(matching, key=lambda h: (-score(h), h.mtime, h.filename))[
        :limit
    ]
