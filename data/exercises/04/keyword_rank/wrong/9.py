# message: those of the headers that are passed in
import math

from memlab.course import my
from memlab.text import stem


def stems(text):
    return {stem(term) for term in my.terms(text)}


def weight(count, total):
    return math.log(1 + (total - count + 0.5) / (count + 0.5))


def keyword_rank(query: str, headers: list, limit: int) -> list:
    asked = stems(query)
    described = [
        stems(f"{header.name} {header.description}") for header in headers
    ]
    ranked = []
    for header, found in zip(headers, described):
        score = 0
        for shared in sorted(asked & found):
            count = sum(shared in other for other in described)
            score += weight(count, 20)
        if score > 0:
            newest_first = -header.mtime.timestamp()
            ranked.append((-score, newest_first, header.filename, header))
    ranked.sort(key=lambda entry: entry[:3])
    return [entry[3] for entry in ranked[:limit]]
