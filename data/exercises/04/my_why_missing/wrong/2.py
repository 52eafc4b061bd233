# message: only the newest turn
def my_why_missing(log, file):
    if not log:
        return "no recall"
    select, recall, prefetch = log[:3]
    if file in recall["attached"]:
        return "late" if prefetch["when"] == "late" else "attached"
    for reason, files in recall["left_out"].items():
        if reason != "not chosen" and file in files:
            return reason
    return "not chosen by " + select["by"]
