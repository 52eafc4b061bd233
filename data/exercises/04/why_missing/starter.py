def my_why_missing(log: list[dict], file: str) -> str:
    """Say what became of a memory in the newest recall of an event log.

    "attached", "late" (it came, for the next turn), the reason under left_out,
    or "not chosen by model" / "not chosen by fallback"; "no recall" where none
    is logged. A turn logs select, recall and prefetch, in this order.

    >>> my_why_missing([], "tabs.md")
    'no recall'
    """
    raise NotImplementedError
