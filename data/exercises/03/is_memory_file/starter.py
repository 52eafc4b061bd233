def is_memory_file(path: str) -> bool:
    """Tell from the path whether a file is a memory.

    A memory has a name that ends in .md. There are three exceptions:

    - the index MEMORY.md, in any folder, in capitals or not
    - a hidden file, or any file in a hidden folder: the name of the file or
      of the folder begins with a dot
    - any file in the folder logs, if this folder is at the top of the
      directory

    >>> is_memory_file("team/radio-words.md")
    True
    >>> is_memory_file("team/Memory.md")
    False
    >>> is_memory_file("logs/2026/03/2026-03-28.md")
    False
    """
    ...
