def my_fork_request(parent: dict, answer: list, prompt: str) -> dict:
    """Give the request of a fork: the parent's last one, its answer, one
    message more.

    Blocks of its messages (or plain texts) may carry a mark, "cache_control";
    nothing else changes. answer is a list of blocks; an empty one adds no
    message. The prompt is one text block with the only mark there:
    {"cache_control": {"type": "ephemeral"}}.

    >>> sent = {"model": "m", "system": "s", "tools": [], "messages": []}
    >>> my_fork_request(sent, [], "Go.")["messages"][-1]["role"]
    'user'
    """
    raise NotImplementedError
