# message: The files are in any order: a new one may come before an old one
def count_sessions(files, last, current):
    count = 0
    for name, time in reversed(files):
        if last is not None and time <= last:
            break
        if name.endswith(".jsonl") and name != current + ".jsonl":
            count += 1
    return count
