# message: A reason counts only for a file that is gone
from memlab.memdir import split_sentences
from memlab.text import words


def unaccounted(before: dict, after: dict, reasons: dict) -> list:
    texts = [set(words(text)) for text in after.values()]
    lost = []
    for file in sorted(before):
        reason = reasons.get(file, "")
        accounted = reason != "" and not reason.startswith("superseded by")
        for sentence in split_sentences(before[file]):
            need = set(words(sentence))
            if not need:
                continue
            numbers = {w for w in need if any(c.isdigit() for c in w)}
            kept = False
            for text in texts:
                if len(need & text) * 10 >= len(need) * 7 and numbers <= text:
                    kept = True
            if not kept and not accounted:
                lost.append((file, sentence))
    return lost
