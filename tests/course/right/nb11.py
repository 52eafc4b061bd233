"""Right answers to the gaps of notebook 11, written from its text alone."""

from memlab.evidence import split_sentences
from memlab.text import words


def unaccounted(before: dict, after: dict, reasons: dict) -> list:
    targets = [set(words(text)) for text in after.values()]

    def kept(sentence):
        own = set(words(sentence))
        if not own:
            return True
        numbers = {word for word in own if any(map(str.isdigit, word))}
        for target in targets:
            if numbers <= target and 10 * len(own & target) >= 7 * len(own):
                return True
        return False

    lost = []
    for file in sorted(before):
        reason = reasons.get(file) or ""
        if file not in after and reason and not reason.startswith("superseded by"):
            continue
        for sentence in split_sentences(before[file]):
            if not kept(sentence):
                lost.append((file, sentence))
    return lost
