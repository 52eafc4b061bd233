# message: Places begin at 1
def fuse(rankings: list[list[int]]) -> list[int]:
    scores: dict[int, float] = {}
    for ranking in rankings:
        for place, memory in enumerate(ranking):
            scores[memory] = scores.get(memory, 0) + 1 / (60 + place)
    return sorted(scores, key=lambda memory: (-scores[memory], memory))
