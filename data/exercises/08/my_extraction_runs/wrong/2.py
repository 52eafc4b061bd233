# message: a run covers what comes after the last message covered
def my_extraction_runs(turns, seconds):
    return [(end, 1, messages) for end, messages in turns]
