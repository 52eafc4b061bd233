import json


def count_messages(lines: list[str]) -> int:
    count = 0
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if entry.get("type") != "user" or entry.get("isSidechain"):
            continue
        content = entry.get("message", {}).get("content")
        if isinstance(content, str):
            count += 1
        elif isinstance(content, list):
            types = [block.get("type") for block in content]
            if "text" in types and "tool_result" not in types:
                count += 1
    return count
