def my_denying_rule(log: list[dict], rules: dict) -> str:
    counts = dict.fromkeys(rules, 0)
    for line in log:
        if line["event"] == "extracted" and line["files"]:
            counts = dict.fromkeys(rules, 0)
        elif line["event"] == "tool_denied":
            for rule, text in rules.items():
                counts[rule] += text in line["reason"]
    most = max(counts, key=counts.get)
    return most if counts[most] else ""
