# message: Round with `round`
def bill(calls, prices):
    costs = {}
    for call in calls:
        cost = sum(call[kind] * prices[kind] for kind in prices)
        costs[call["purpose"]] = costs.get(call["purpose"], 0) + cost
    return sorted(
        ((p, int(c)) for p, c in costs.items()), key=lambda x: (-x[1], x[0])
    )
