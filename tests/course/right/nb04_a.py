"""Right answers to the gaps of notebook 04, each of which stands alone."""

import json
import math

from memlab.course import my
from memlab.text import STOP_WORDS, stem


def stems(text):
    return {stem(term) for term in my.terms(text)}


def weight(count, total):
    return math.log(1 + (total - count + 0.5) / (count + 0.5))


def terms(text: str) -> list[str]:
    spaced = ""
    for character in text.lower():
        if character.isalnum():
            spaced += character
        else:
            spaced += " "
    return [word for word in spaced.split() if word not in STOP_WORDS]


def keyword_rank(query: str, headers: list, limit: int) -> list:
    asked = stems(query)
    described = [stems(f"{header.name} {header.description}") for header in headers]
    ranked = []
    for header, found in zip(headers, described, strict=True):
        score = 0
        for shared in sorted(asked & found):
            count = sum(shared in other for other in described)
            score += weight(count, len(headers))
        if score > 0:
            newest_first = -header.mtime.timestamp()
            ranked.append((-score, newest_first, header.filename, header))
    ranked.sort(key=lambda entry: entry[:3])
    return [entry[3] for entry in ranked[:limit]]


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
