# message: name
import re


def stale_lock(lines):
    ended = set()
    hits = []
    for line in lines:
        pid = re.search(r"\bpid=(\d+)", line)
        holder = re.search(r"\bholder=(\d+)", line)
        if line.startswith("process_started") and pid:
            ended.discard(int(pid[1]))
        elif line.startswith("process_ended") and pid:
            ended.add(int(pid[1]))
        elif line.startswith("gate_shut") and "gate=lock" in line.split(" "):
            if int(holder[1]) in ended:
                hits.append(int(holder[1]))
    return [hits[0], len(hits)] if hits else []
