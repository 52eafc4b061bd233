# message: created at 1.25
def my_bill(calls):
    sums = {}
    for c in calls:
        n = c["uncached"] + c["created"] + c["read"] + c["output"]
        sums[c["purpose"]] = sums.get(c["purpose"], 0) + n
    return sorted(sums.items(), key=lambda row: (-row[1], row[0]))
