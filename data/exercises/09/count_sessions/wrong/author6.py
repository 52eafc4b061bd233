# message: If last is None, every session except the current one counts
def count_sessions(files, last, current):
    count = 0
    for name, time in files:
        if name.endswith(".jsonl") and name != current:
            if last is None or time > last:
                count += 1
    return count
