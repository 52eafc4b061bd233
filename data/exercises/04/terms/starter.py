from memlab.text import STOP_WORDS


def terms(text: str) -> list[str]:
    """Return the words of a string in lower case, in order, without stop words.

    A word is a run of letters and digits. Every other character ends it:
    spaces, punctuation, apostrophes, and the _ in a name like floor_to_five.

    >>> terms("How are the tests run?")
    ['tests', 'run']
    >>> terms("the utf8_file")
    ['utf8', 'file']
    >>> terms("Thanks, that is all for now")
    []
    """
    ...
