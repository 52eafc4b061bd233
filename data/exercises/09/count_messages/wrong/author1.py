# message: A line with a tool_result does not count
import json


def count_messages(lines):
    count = 0
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if entry.get("type") == "user" and not entry.get("isSidechain"):
            count += "message" in entry
    return count
