# message: Each sentence is looked for by itself
from memlab.memdir import split_sentences
from memlab.text import words


def unaccounted(before: dict, after: dict, reasons: dict) -> list:
    """Compares whole texts: a file is fine if most of its words are kept."""
    had = set(words(" ".join(after.values())))
    lost = []
    for file in sorted(before):
        reason = reasons.get(file, "")
        if (
            file not in after
            and reason
            and not reason.startswith("superseded by")
        ):
            continue
        wanted = set(words(before[file]))
        if len(wanted & had) < 0.7 * len(wanted):
            lost += [(file, each) for each in split_sentences(before[file])]
    return lost
