# message: The ids are in the order
import json


def open_calls(lines: list[str]) -> list[str]:
    calls, answered = set(), set()
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        content = entry.get("message", {}).get("content", "")
        if isinstance(content, str):
            continue
        for block in content:
            if block["type"] == "tool_use":
                calls.add(block["id"])
            elif block["type"] == "tool_result":
                answered.add(block["tool_use_id"])
    return sorted(calls - answered)
