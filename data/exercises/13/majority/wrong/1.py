# message: A case without answers counts as wrong
def majority(votes: list[bool]) -> bool:
    return sum(votes) / len(votes) > 0.5
