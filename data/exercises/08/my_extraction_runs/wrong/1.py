# message: only the newest waits
def my_extraction_runs(turns, seconds):
    runs, done = [], 0
    for end, messages in turns:
        if messages > done:
            runs.append((end, done + 1, messages))
            done = messages
    return runs
