# message: expected (0.875, 0.875)
from statistics import median


def bootstrap_interval(
    differences: list[float], draws: list[list[int]]
) -> tuple[float, float]:
    values = sorted(median(differences[i] for i in draw) for draw in draws)
    n = len(values)
    return values[round(0.025 * (n - 1))], values[round(0.975 * (n - 1))]
