def is_inside(path: str, folder: str) -> bool:
    """Tell whether a real path is a folder, or is below it.

    Both are absolute, without links and without "..".

    >>> is_inside("/home/robin/tidebook/a.py", "/home/robin/tidebook")
    True
    >>> is_inside("/home/robin/tidebook-old/a.py", "/home/robin/tidebook")
    False
    """
    ...
