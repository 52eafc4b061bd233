# message: most frequent rule wins
def my_denying_rule(log, rules):
    found = ""
    for line in log:
        if line.get("files"):
            found = ""
        for rule, text in rules.items():
            if text in line.get("reason", ""):
                found = rule
    return found
