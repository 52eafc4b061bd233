# message: the smaller number comes first
def fuse(rankings: list[list[int]]) -> list[int]:
    scores: dict[int, float] = {}
    for ranking in rankings:
        for place, memory in enumerate(ranking, start=1):
            scores[memory] = scores.get(memory, 0) + 1 / (60 + place)
    return sorted(scores, key=lambda memory: scores[memory], reverse=True)
