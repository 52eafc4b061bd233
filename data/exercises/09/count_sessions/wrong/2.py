# message: An equal time is not later
def count_sessions(files, last, current):
    count = 0
    for name, time in files:
        if not name.endswith(".jsonl") or name == f"{current}.jsonl":
            continue
        if last is None or time >= last:
            count += 1
    return count
