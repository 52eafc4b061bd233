# message: A line with isSidechain belongs to a fork
import json


def count_messages(lines):
    count = 0
    for line in lines:
        try:
            entry = json.loads(line)
        except json.JSONDecodeError:
            break
        if entry["type"] == "user" and "message" in entry:
            content = entry["message"]["content"]
            if isinstance(content, str):
                count += 1
            else:
                types = [block["type"] for block in content]
                count += types.count("tool_result") == 0 and "text" in types
    return count
