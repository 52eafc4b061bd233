# message: cut the endings
import re

from memlab.text import STOP_WORDS


def my_keyword_rank(query, headers, limit):
    def terms(text):
        return set(re.findall("[a-z0-9]+", text.lower())) - STOP_WORDS

    def score(h):
        return len(terms(query) & terms(h.name + " " + h.description))

    found = sorted((h for h in headers if score(h)), key=lambda h: -score(h))
    return found[:limit]
