# message: not how many share a stem
import math

from memlab.course import my
from memlab.text import stem


def stems(text):
    return {stem(term) for term in my.terms(text)}


def weight(count, total):
    return math.log(1 + (total - count + 0.5) / (count + 0.5))


def keyword_rank(query: str, headers: list, limit: int) -> list:
    wanted = stems(query)
    found = [
        (stems(h.name + " " + h.description) & wanted, h) for h in headers
    ]
    found = [(shared, h) for shared, h in found if shared]
    total = len(found)
    scored = [
        (
            sum(
                weight(sum(s in other for other, _ in found), total)
                for s in shared
            ),
            h,
        )
        for shared, h in found
    ]
    scored.sort(key=lambda row: row[1].filename)
    scored.sort(key=lambda row: (row[0], row[1].mtime), reverse=True)
    return [header for _, header in scored[:limit]]
