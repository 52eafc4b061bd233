# message: alphabetical order
from collections import defaultdict


def bill(calls, prices):
    costs = defaultdict(float)
    for call in calls:
        costs[call["purpose"]] += sum(
            call[kind] * prices[kind] for kind in prices
        )
    rounded = [(purpose, round(cost)) for purpose, cost in costs.items()]
    return sorted(rounded, key=lambda pair: -pair[1])
