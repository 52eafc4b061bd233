# message: next turn
def my_why_missing(log, file):
    for line in log:
        if line["event"] == "recall" and file in line["attached"]:
            return "attached"
    return "no recall"
