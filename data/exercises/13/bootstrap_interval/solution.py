def bootstrap_interval(
    differences: list[float], draws: list[list[int]]
) -> tuple[float, float]:
    means = []
    for draw in draws:
        total = 0.0
        for position in draw:
            total += differences[position]
        means.append(total / len(draw))
    means.sort()
    last = len(means) - 1
    return means[round(0.025 * last)], means[round(0.975 * last)]
