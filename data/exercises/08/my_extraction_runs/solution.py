def my_extraction_runs(turns: list, seconds: int) -> list:
    runs, waiting = [], None

    def covered():
        return runs[-1][2] if runs else 0

    def free():
        return runs[-1][0] + seconds if runs else 0

    def run(at, last):
        if last > covered():
            runs.append((at, covered() + 1, last))

    for end, messages in turns:
        if waiting is not None and end >= free():
            run(free(), waiting)
            waiting = None
        if end < free():
            waiting = messages
        else:
            run(end, messages)
    if waiting is not None:
        run(free(), waiting)
    return runs
