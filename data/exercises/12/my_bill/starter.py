def my_bill(calls: list[dict]) -> list[tuple[str, int]]:
    """Sum what calls cost, by purpose: the dearest first, equal ones by name.

    A call has purpose, uncached, created, read and output, all in tokens. In
    units of one uncached token, created costs 1.25, read 0.1, output 5. Round
    the sums, then sort.

    >>> my_bill([{"purpose": "main", "uncached": 0, "created": 0, "read": 90, "output": 2}])
    [('main', 19)]
    """
    raise NotImplementedError
