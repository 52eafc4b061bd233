def mark_cache(blocks: list[dict]) -> list[dict]:
    """Return the blocks, with a cache mark on the last one.

    >>> hello = {"type": "text", "text": "Hello."}
    >>> bye = {"type": "text", "text": "Bye."}
    >>> mark_cache([hello, bye])
    [{'type': 'text', 'text': 'Hello.'},
     {'type': 'text', 'text': 'Bye.', 'cache_control': {'type': 'ephemeral'}}]
    >>> bye
    {'type': 'text', 'text': 'Bye.'}
    """
    ...
