from memlab.course import my
from memlab.text import words


def quiet_loss(memories: dict, file: str, word: str) -> dict:
    """Return the memories without the word, if unaccounted does not notice.

    >>> memories = {"dog.md": "Never feed the black dog of the harbour."}
    >>> after = quiet_loss(memories, "dog.md", "never")
    >>> words(after["dog.md"])
    ['feed', 'the', 'black', 'dog', 'of', 'the', 'harbour']
    >>> quiet_loss({"dog.md": "No dogs."}, "dog.md", "no")
    {'dog.md': 'No dogs.'}
    """
    ...
