# message: stands behind the last
def my_denying_rule(log, rules):
    for line in reversed(log):
        for rule, text in rules.items():
            if text in line.get("reason", ""):
                return rule
    return ""
