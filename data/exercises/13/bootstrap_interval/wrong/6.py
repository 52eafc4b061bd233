# message: you returned (0.0, 1.0)
def bootstrap_interval(
    differences: list[float], draws: list[list[int]]
) -> tuple[float, float]:
    means = set()
    for draw in draws:
        means.add(sum(differences[i] for i in draw) / len(draw))
    ordered = sorted(means)
    n = len(ordered)
    return ordered[round(0.025 * (n - 1))], ordered[round(0.975 * (n - 1))]
