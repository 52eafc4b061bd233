def file_stem(name: str) -> str:
    """Make the stem of a file name: letters and digits in lower case, with one
    hyphen between words.

    >>> file_stem("Tabs & single quotes!")
    'tabs-single-quotes'
    """
    ...
