# message: The ids are in the order
import json


def open_calls(lines: list[str]) -> list[str]:
    answered, opened = set(), []
    for line in reversed(lines):
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        content = entry.get("message", {}).get("content", "")
        if isinstance(content, str):
            continue
        for block in reversed(content):
            if block["type"] == "tool_result":
                answered.add(block["tool_use_id"])
            elif block["type"] == "tool_use" and block["id"] not in answered:
                opened.append(block["id"])
    return opened
