# message: The result is a list
def majority(votes: list[bool]) -> bool:
    return votes and sum(votes) > len(votes) / 2
