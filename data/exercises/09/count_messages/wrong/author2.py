# message: A list with a text block and no tool_result counts
import json


def count_messages(lines):
    count = 0
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if entry["type"] == "user" and not entry.get("isSidechain"):
            count += isinstance(entry.get("message", {}).get("content"), str)
    return count
