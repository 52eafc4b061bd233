# message: with 30 differences and 30 draws
def bootstrap_interval(
    differences: list[float], draws: list[list[int]]
) -> tuple[float, float]:
    means = []
    for draw in draws:
        values = [differences[i] for i in draw]
        means.append(sum(values) / len(values))
    means.sort()
    n = len(means)
    return (means[int(0.025 * n)], means[int(0.975 * n)])
