# message: still runs
def my_stale_lock(lines):
    shut = [line for line in lines if "gate=lock" in line]
    return (
        [int(shut[0].split("holder=")[1].split()[0]), len(shut)]
        if shut
        else []
    )
