# message: you raised KeyError
import json


def count_messages(lines):
    count = 0
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if entry["type"] != "user" or entry.get("isSidechain"):
            continue
        content = entry["message"]["content"]
        if isinstance(content, str):
            count += 1
        else:
            types = {block["type"] for block in content}
            if "text" in types and "tool_result" not in types:
                count += 1
    return count
