# message: you returned (0.0, -1.0)
def bootstrap_interval(
    differences: list[float], draws: list[list[int]]
) -> tuple[float, float]:
    means = [sum(differences[i] for i in draw) / len(draw) for draw in draws]
    means.sort(key=abs)
    n = len(means)
    return means[round(0.025 * (n - 1))], means[round(0.975 * (n - 1))]
