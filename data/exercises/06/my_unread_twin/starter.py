def my_unread_twin(request: dict) -> dict:
    """Give a request that says the same and finds nothing of itself in the
    cache.

    The same model, the same tools with the same descriptions, the same system
    prompt and messages, marks included: no word more, none less. tools is a
    list of dicts.

    >>> my_unread_twin({"tools": [], "messages": []}) == {"tools": [], "messages": []}
    False
    """
    raise NotImplementedError
