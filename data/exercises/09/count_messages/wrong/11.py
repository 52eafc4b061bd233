# message: The type of a block decides, and not a word in its text
import json


def count_messages(lines):
    count = 0
    for line in lines:
        if "tool_result" in line:
            continue
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
        if isinstance(content, str) or any(
            b["type"] == "text" for b in content
        ):
            count += 1
    return count
