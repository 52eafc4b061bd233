# message: Two transcripts may have the same time, and half a second is later
def count_sessions(files, last, current):
    sessions = {
        time: name
        for name, time in sorted(files, reverse=True)
        if name.endswith(".jsonl") and name != current + ".jsonl"
    }
    return len([time for time in sessions if last is None or time > last])
