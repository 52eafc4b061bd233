# message: stands behind the last
def my_denying_rule(log, rules):
    reasons = [line.get("reason", "") for line in log]
    counts = {r: sum(t in one for one in reasons) for r, t in rules.items()}
    most = max(counts, key=counts.get)
    return most if counts[most] else ""
