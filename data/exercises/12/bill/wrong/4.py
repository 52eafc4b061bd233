# message: alphabetical order
def bill(calls, prices):
    costs = {}
    for call in calls:
        cost = sum(call[kind] * prices[kind] for kind in prices)
        costs[call["purpose"]] = costs.get(call["purpose"], 0) + cost
    pairs = [(purpose, round(cost)) for purpose, cost in costs.items()]
    return sorted(pairs, key=lambda pair: (pair[1], pair[0]), reverse=True)
