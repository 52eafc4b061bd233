# message: tells more than one that many hold
import re

from memlab.text import STOP_WORDS, stem


def my_keyword_rank(query, headers, limit):
    def terms(text):
        found = set(re.findall("[a-z0-9]+", text.lower())) - STOP_WORDS
        return {stem(word) for word in found}

    def score(h):
        text = " ".join([h.name, h.description, h.filename])
        return len(terms(query) & terms(text))

    found = [h for h in headers if score(h)]
    found.sort(key=lambda h: (-score(h), -h.mtime.timestamp(), h.filename))
    return found[:limit]
