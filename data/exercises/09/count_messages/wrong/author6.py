# message: An empty string is a string
import json


def count_messages(lines):
    count = 0
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            break
        content = entry.get("message", {}).get("content")
        if entry.get("type") != "user" or entry.get("isSidechain"):
            continue
        if not content or "isSidechain" in entry:
            continue
        if isinstance(content, list):
            types = [block["type"] for block in content]
            if "text" not in types or "tool_result" in types:
                continue
        count += 1
    return count
