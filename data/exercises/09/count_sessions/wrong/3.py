# message: The name of a transcript ends in .jsonl
def count_sessions(files, last, current):
    count = 0
    for name, time in files:
        if ".jsonl" in name and name != current + ".jsonl":
            if last is None or time > last:
                count += 1
    return count
