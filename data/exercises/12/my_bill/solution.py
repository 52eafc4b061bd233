def my_bill(calls: list[dict]) -> list[tuple[str, int]]:
    sums = {}
    for call in calls:
        tokens = call["uncached"] + 1.25 * call["created"] + 0.1 * call["read"]
        cost = tokens + 5 * call["output"]
        sums[call["purpose"]] = sums.get(call["purpose"], 0) + cost
    rows = [(purpose, round(cost)) for purpose, cost in sums.items()]
    return sorted(rows, key=lambda row: (-row[1], row[0]))
