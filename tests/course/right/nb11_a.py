"""Right answers to the gaps of notebook 11, each of which stands alone."""

from memlab.evidence import split_sentences
from memlab.text import words


def unaccounted(before: dict, after: dict, reasons: dict) -> list:
    texts = [set(words(text)) for text in after.values()]

    def is_kept(sentence):
        wanted = set(words(sentence))
        numbers = {word for word in wanted if any(map(str.isdigit, word))}
        if not wanted:
            return True
        for text in texts:
            enough = 10 * len(wanted & text) >= 7 * len(wanted)
            if enough and numbers <= text:
                return True
        return False

    lost = []
    for file in sorted(before):
        reason = reasons.get(file, "")
        is_claim = reason.startswith("superseded by")
        if file not in after and reason and not is_claim:
            continue
        for sentence in split_sentences(before[file]):
            if not is_kept(sentence):
                lost.append((file, sentence))
    return lost
