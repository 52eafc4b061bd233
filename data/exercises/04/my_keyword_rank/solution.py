import math
import re
from memlab.text import STOP_WORDS


def my_keyword_rank(query: str, headers: list, limit: int) -> list:
    def terms(text):
        plain = re.findall(r"[a-z0-9]+", text.lower())
        return {
            re.sub(r"(ing|ed|es|s|e)$", "", word)
            for word in plain
            if word not in STOP_WORDS
        }

    held = [
        terms(f"{h.name} {h.description} {h.filename[:-3]}") for h in headers
    ]

    def score(number):
        shared = terms(query) & held[number]
        holders = {term: sum(term in each for each in held) for term in shared}
        return sum(
            math.log(1 + len(held) / holders[term]) for term in sorted(shared)
        )

    scores = {number: score(number) for number in range(len(headers))}
    found = [number for number in scores if scores[number] > 0]
    found.sort(
        key=lambda n: (
            -scores[n],
            -headers[n].mtime.timestamp(),
            headers[n].filename,
        )
    )
    return [headers[number] for number in found[:limit]]
