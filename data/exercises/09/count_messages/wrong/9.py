# message: A list with a text block and no tool_result counts
import json


def count_messages(lines):
    count = 0
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        message = entry.get("message")
        if (
            entry.get("type") != "user"
            or entry.get("isSidechain")
            or not message
        ):
            continue
        content = message["content"]
        if isinstance(content, list):
            if not content or content[0]["type"] != "text":
                continue
        count += 1
    return count
