# message: Round once per purpose
def bill(calls, prices):
    result = []
    for purpose in sorted({call["purpose"] for call in calls}):
        cost = 0
        for kind in ("uncached", "created", "read", "output"):
            tokens = sum(
                call[kind] for call in calls if call["purpose"] == purpose
            )
            cost += round(tokens * prices[kind])
        result.append((purpose, cost))
    result.sort(key=lambda pair: pair[1], reverse=True)
    return result
