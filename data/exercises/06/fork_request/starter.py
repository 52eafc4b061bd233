def fork_request(parent: dict, answer: list[dict], prompt: str) -> dict:
    """Return the request of a fork.

    >>> hello = {"type": "text", "text": "Hello."}
    >>> marked = {**hello, "cache_control": {"type": "ephemeral"}}
    >>> said = {"role": "user", "content": [marked]}
    >>> parent = {"model": "m", "tools": [], "messages": [said]}
    >>> fork_request(parent, [{"type": "text", "text": "Hi, Robin."}], "What now?")
    {'model': 'm',
     'tools': [],
     'messages': [
         {'role': 'user', 'content': [{'type': 'text', 'text': 'Hello.'}]},
         {'role': 'assistant', 'content': [{'type': 'text', 'text': 'Hi, Robin.'}]},
         {'role': 'user', 'content': [
             {'type': 'text', 'text': 'What now?',
              'cache_control': {'type': 'ephemeral'}}]}]}
    """
    ...
