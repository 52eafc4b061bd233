from memlab.text import STOP_WORDS


def my_keyword_rank(query: str, headers: list, limit: int) -> list:
    """Give the headers that share a word with the query, best first, at most
    limit.

    A header has name, description, filename and mtime. Little words
    (STOP_WORDS) and endings do not count, a rare word counts more. Ties:
    newest first, then file name.

    >>> my_keyword_rank("How are you?", headers, 5)
    []
    """
    raise NotImplementedError
