# message: the dearest purpose stands first
def my_bill(calls):
    sums = {}
    for c in calls:
        n = (
            c["uncached"]
            + 1.25 * c["created"]
            + 0.1 * c["read"]
            + 5 * c["output"]
        )
        sums[c["purpose"]] = sums.get(c["purpose"], 0) + n
    return [(name, round(cost)) for name, cost in sums.items()]
