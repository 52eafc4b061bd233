# message: with 2 differences and 100 draws
from statistics import fmean


def bootstrap_interval(
    differences: list[float], draws: list[list[int]]
) -> tuple[float, float]:
    means = [fmean(differences[i] for i in draw) for draw in draws]
    return min(means), max(means)
