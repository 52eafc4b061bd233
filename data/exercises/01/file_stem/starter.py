def file_stem(name: str, taken: set[str]) -> str:
    """Return a stem that is safe on every system and not taken.

    >>> file_stem("Tabs & single quotes!", set())
    'tabs-single-quotes'
    >>> file_stem("Tabs, single quotes", {"tabs-single-quotes"})
    'tabs-single-quotes-2'
    >>> file_stem("Memory", set())
    'memory-2'
    """
    reserved = {"memory", "con", "prn", "aux", "nul"}
    reserved |= {f"com{digit}" for digit in range(10)}
    reserved |= {f"lpt{digit}" for digit in range(10)}
    ...
