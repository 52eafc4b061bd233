def mark_cache(blocks: list[dict]) -> list[dict]:
    """Return the blocks, the last one with a cache mark.

    The mark is {"cache_control": {"type": "ephemeral"}}. The given blocks stay
    as they are: a mark in the history would be sent again.

    >>> mark_cache([{"type": "text", "text": "Hi"}])
    [{'type': 'text', 'text': 'Hi', 'cache_control': {'type': 'ephemeral'}}]
    """
    ...
