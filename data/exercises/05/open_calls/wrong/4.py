# message: The last line may be cut off, and what json.loads refuses is ignored
import json


def open_calls(lines: list[str]) -> list[str]:
    calls = []
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
    return [
        call
        for call in calls
        if not any("tool_result" in line and call in line for line in lines)
    ]
