# message: expected (0.875, 0.875)
def bootstrap_interval(
    differences: list[float], draws: list[list[int]]
) -> tuple[float, float]:
    means = []
    for draw in draws:
        chosen = [d for i, d in enumerate(differences) if i in draw]
        means.append(sum(chosen) / len(chosen))
    means.sort()
    n = len(means)
    return means[round(0.025 * (n - 1))], means[round(0.975 * (n - 1))]
