def bill(calls: list[dict], prices: dict[str, float]) -> list[tuple[str, int]]:
    costs = {}
    for call in calls:
        cost = 0
        for kind, price in prices.items():
            cost += call[kind] * price
        purpose = call["purpose"]
        costs[purpose] = costs.get(purpose, 0) + cost
    rows = [(purpose, round(cost)) for purpose, cost in costs.items()]
    return sorted(rows, key=lambda row: (-row[1], row[0]))
