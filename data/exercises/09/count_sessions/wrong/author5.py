# message: If last is None, every session except the current one counts
def count_sessions(files, last, current):
    if last is None:
        return len(files)
    return sum(
        time > last
        for name, time in files
        if name.endswith(".jsonl") and name != current + ".jsonl"
    )
