# message: any order
def stale_lock(lines):
    ended = set()
    count = 0
    pid = None
    for line in lines:
        words = line.split(" ")
        if words[0] == "process_started":
            ended.discard(words[1])
        elif words[0] == "process_ended":
            ended.add(words[1])
        elif words[0] == "gate_shut" and words[1] == "gate=lock":
            holder = words[2].removeprefix("holder=")
            if "pid=" + holder in ended:
                pid = int(holder)
                count += 1
    if count == 0:
        return []
    return [pid, count]
