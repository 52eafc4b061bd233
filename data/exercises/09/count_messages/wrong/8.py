# message: An empty string is a string
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
        if not content:
            continue
        if isinstance(content, str):
            count += 1
        else:
            types = [block.get("type") for block in content]
            if "text" in types and "tool_result" not in types:
                count += 1
    return count
