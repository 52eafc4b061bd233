# message: ZeroDivisionError
def majority(votes: list[bool]) -> bool:
    return sum(votes) / len(votes) > 0.5
