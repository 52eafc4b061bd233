# message: by then
def my_stale_lock(lines):
    gone = {
        line.split("=")[1]
        for line in lines
        if line.startswith("process_ended")
    }
    lost = [
        line.split("holder=")[1].split()[0]
        for line in lines
        if "holder=" in line
    ]
    lost = [int(h) for h in lost if h in gone]
    return [lost[0], len(lost)] if lost else []
