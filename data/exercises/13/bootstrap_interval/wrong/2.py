# message: you returned (1.0, 1.5)
def bootstrap_interval(
    differences: list[float], draws: list[list[int]]
) -> tuple[float, float]:
    n = len(draws)
    size = len(draws[0])
    means = sorted(sum(differences[i] for i in draw) / size for draw in draws)
    return means[round(0.025 * (n - 1))], means[round(0.975 * (n - 1))]
