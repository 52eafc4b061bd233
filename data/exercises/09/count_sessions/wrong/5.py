# message: The current session would not have counted here anyway
def count_sessions(files, last, current):
    transcripts = {
        name: time for name, time in files if name.endswith(".jsonl")
    }
    count = sum(last is None or time > last for time in transcripts.values())
    if current + ".jsonl" in transcripts:
        count -= 1
    return count
