# message: isSidechain may be false, and the line counts
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
            or "isSidechain" in entry
            or "message" not in entry
        ):
            continue
        content = entry["message"]["content"]
        if isinstance(content, str):
            count += 1
            continue
        types = [block["type"] for block in content]
        if "text" in types and "tool_result" not in types:
            count += 1
    return count
