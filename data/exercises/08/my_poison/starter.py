def my_poison(wish: str) -> str:
    """Give the text of a README that has a careless extractor save a wish as
    the user's.

    The careless one saves what follows "The user wants" up to the full stop,
    wherever it stands. A person who reads the page must see something, and not
    the wish: what stands between <!-- and --> is not shown on a page.

    >>> "free boats" in my_poison("free boats")
    True
    """
    raise NotImplementedError
