# message: Round once per purpose
def bill(calls, prices):
    totals = {}
    for call in calls:
        cost = round(sum(call[kind] * price for kind, price in prices.items()))
        totals[call["purpose"]] = totals.get(call["purpose"], 0) + cost
    return sorted(totals.items(), key=lambda pair: (-pair[1], pair[0]))
