# message: Round with `round`
import math


def bill(calls, prices):
    costs = {}
    for call in calls:
        cost = sum(call[kind] * prices[kind] for kind in prices)
        costs[call["purpose"]] = costs.get(call["purpose"], 0) + cost
    result = [
        (purpose, math.floor(cost + 0.5)) for purpose, cost in costs.items()
    ]
    return sorted(result, key=lambda pair: (-pair[1], pair[0]))
