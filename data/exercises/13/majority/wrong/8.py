# message: The order of the answers does not matter
def majority(votes: list[bool]) -> bool:
    return bool(votes) and votes[0] and votes[-1]
