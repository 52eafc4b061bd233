# message: A list with a text block and no tool_result counts
import json


def count_messages(lines):
    count = 0
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if (
            entry.get("type") != "user"
            or entry.get("isSidechain")
            or "message" not in entry
        ):
            continue
        content = entry["message"]["content"]
        if isinstance(content, str):
            count += 1
        elif content and all(block["type"] == "text" for block in content):
            count += 1
    return count
