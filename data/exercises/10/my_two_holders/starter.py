def my_two_holders(first: str, second: str, steps: list) -> list:
    """Order the steps of two processes so that both end up holding a naive
    lock.

    Each name stands in the answer once for each of its steps, which are, in
    order, for example ["look", "write", "verify"]. look: gives up if another
    holds the lock. write: puts its name in. verify: gives up if another name
    is there. The lock is stale at first. Other steps do nothing.

    >>> my_two_holders("a", "b", ["look", "write", "verify"]).count("a")
    3
    """
    raise NotImplementedError
