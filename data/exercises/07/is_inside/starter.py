def is_inside(path: str, folder: str) -> bool:
    """Tell whether a path really leads to a folder, or to something in it.

    >>> is_inside("/home/robin/tidebook/docs/a.md", "/home/robin/tidebook")
    True
    >>> is_inside("/home/robin/tidebook-old/a.md", "/home/robin/tidebook")
    False
    >>> is_inside("/home/robin/tidebook/../a.md", "/home/robin/tidebook")
    False
    """
    ...
