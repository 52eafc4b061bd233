def my_unseen(events: list[dict]) -> list[int]:
    """List the messages that no run has dealt with, in order.

    An event has name, first, last (numbers of messages) and reason.
    "extracted" deals with its messages, and so does "extract_skipped" for any
    reason but "throttle". "extract_failed" and "extract_stashed" do not: a
    later run has to.

    >>> my_unseen([{"name": "extract_failed", "first": 1, "last": 2, "reason": "529"}])
    [1, 2]
    """
    raise NotImplementedError
