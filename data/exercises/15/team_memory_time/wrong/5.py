# message: If the file states no time, the commit's time counts
def team_memory_time(modified, committed, now):
    return min(modified, committed, now)
