# message: A line with isSidechain belongs to a fork
import json


def count_messages(lines):
    count = 0
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        content = entry.get("message", {}).get("content")
        if entry.get("type") != "user" or content is None:
            continue
        if isinstance(content, list):
            types = [block["type"] for block in content]
            if "text" not in types or "tool_result" in types:
                continue
        count += 1
    return count
