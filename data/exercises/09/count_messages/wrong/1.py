# message: The last line counts if it is whole
import json


def count_messages(lines):
    count = 0
    for line in lines[:-1]:
        entry = json.loads(line)
        if entry.get("type") != "user" or entry.get("isSidechain"):
            continue
        content = entry.get("message", {}).get("content")
        if isinstance(content, str):
            count += 1
        elif isinstance(content, list):
            types = [block.get("type") for block in content]
            count += "text" in types and "tool_result" not in types
    return count
