# message: only the newest waits, and one run follows
def my_extraction_runs(turns, seconds):
    runs, done, free = [], 0, 0
    for end, messages in turns:
        if end >= free and messages > done:
            runs.append((end, done + 1, messages))
            done, free = messages, end + seconds
    return runs
