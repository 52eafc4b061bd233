# message: newest
def my_why_missing(log, file):
    if not log:
        return "no recall"
    select, recall, prefetch = log[-3:]
    if file in recall["attached"]:
        return "late" if prefetch["when"] == "late" else "attached"
    return "not chosen by " + select["by"]
