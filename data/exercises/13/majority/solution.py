def majority(votes: list[bool]) -> bool:
    correct = votes.count(True)
    return 2 * correct > len(votes)
