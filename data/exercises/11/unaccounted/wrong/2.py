# message: An item is not expected
from memlab.memdir import split_sentences


def unaccounted(before: dict, after: dict, reasons: dict) -> list:
    """Looks for each sentence word for word."""
    whole = "\n".join(after.values())
    return [
        (file, sentence)
        for file in sorted(before)
        for sentence in split_sentences(before[file])
        if sentence not in whole
        and (
            file in after
            or not reasons.get(file)
            or reasons[file].startswith("superseded by")
        )
    ]
