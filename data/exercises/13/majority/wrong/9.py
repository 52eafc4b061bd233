# message: A case without answers counts as wrong
from collections import Counter


def majority(votes: list[bool]) -> bool:
    # sorted: False comes first, so that it wins a tie
    return Counter(sorted(votes)).most_common(1)[0][0]
