# message: A line with a tool_result does not count
import json


def count_messages(lines):
    count = 0
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if entry.get("type") != "user" or entry.get("isSidechain"):
            continue
        content = entry.get("message", {}).get("content")
        if isinstance(content, str):
            count += 1
        elif content and any(block["type"] == "text" for block in content):
            count += 1
    return count
