# message: A list with a text block and no tool_result counts
import json


def count_messages(lines):
    def typed(entry):
        if entry.get("type") != "user" or entry.get("isSidechain"):
            return False
        if "message" not in entry:
            return False
        content = entry["message"]["content"]
        if isinstance(content, str):
            return True
        return not any(block["type"] == "tool_result" for block in content)

    count = 0
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        count += typed(entry)
    return count
