# message: All numbers of a sentence
from memlab.memdir import split_sentences
from memlab.text import words


def unaccounted(before: dict, after: dict, reasons: dict) -> list:
    texts = [set(words(text)) for text in after.values()]
    lost = []
    for file in sorted(before):
        reason = reasons.get(file, "")
        accounted = (
            file not in after
            and reason != ""
            and not reason.startswith("superseded by")
        )
        for sentence in split_sentences(before[file]):
            need = set(words(sentence))
            if not need:
                continue
            kept = False
            for text in texts:
                if len(need & text) * 10 >= len(need) * 7:
                    kept = True
            if not kept and not accounted:
                lost.append((file, sentence))
    return lost
