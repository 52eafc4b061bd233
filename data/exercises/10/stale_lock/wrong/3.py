# message: running holder
def stale_lock(lines):
    gone = set()
    for line in lines:
        if line.startswith("process_ended "):
            gone.add(line.split("pid=")[1].split(" ")[0])
        elif line.startswith("process_started "):
            gone.discard(line.split("pid=")[1].split(" ")[0])
    count = 0
    pid = None
    for line in lines:
        if line.startswith("gate_shut gate=lock "):
            holder = line.split("holder=")[1].split(" ")[0]
            if holder in gone:
                pid = int(holder)
                count += 1
    return [pid, count] if count else []
