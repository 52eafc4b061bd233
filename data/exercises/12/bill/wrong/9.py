# message: All calls of a purpose are added up
def bill(calls, prices):
    first, last = {}, {}
    for call in calls:
        cost = sum(call[kind] * prices[kind] for kind in prices)
        if call["purpose"] in first:
            last[call["purpose"]] = cost
        else:
            first[call["purpose"]] = cost
    pairs = [(p, round(c + last.get(p, 0))) for p, c in first.items()]
    return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))
