from memlab.memdir import split_sentences
from memlab.text import words


def unaccounted(before: dict, after: dict, reasons: dict) -> list:
    """Return (file, sentence) for each sentence that is lost without a reason.

    >>> before = {"ferry.md": "Robin takes the ferry. It leaves at 17:10."}
    >>> unaccounted(before, {"day.md": "Robin takes the last ferry."}, {})
    [('ferry.md', 'It leaves at 17:10.')]
    >>> unaccounted(before, {}, {"ferry.md": "stale because Robin drives now"})
    []
    """
    ...
