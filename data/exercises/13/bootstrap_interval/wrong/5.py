# message: with 20 differences and 20 draws
def bootstrap_interval(
    differences: list[float], draws: list[list[int]]
) -> tuple[float, float]:
    means = sorted(
        sum(differences[i] for i in draw) / len(draw) for draw in draws
    )
    n = len(means)
    return means[round(0.05 * (n - 1))], means[round(0.95 * (n - 1))]
