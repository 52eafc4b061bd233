# message: Item 2 differs
def bootstrap_interval(
    differences: list[float], draws: list[list[int]]
) -> tuple[float, float]:
    means = sorted(
        sum(differences[i] for i in draw) / len(draw) for draw in draws
    )
    cut = round(0.025 * (len(means) - 1))
    if cut:
        means = means[cut : -cut - 1]
    return means[0], means[-1]
