# message: Compare whole names: only the current session itself does not count
def count_sessions(files, last, current):
    count = 0
    for name, time in files:
        if name.endswith(".jsonl") and name.rstrip(".jsonl") != current:
            if last is None or time > last:
                count += 1
    return count
