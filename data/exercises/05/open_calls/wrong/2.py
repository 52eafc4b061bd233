# message: The content of a message may be a text
import json


def open_calls(lines: list[str]) -> list[str]:
    calls, answered = [], set()
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        for block in entry.get("message", {}).get("content", []):
            if block["type"] == "tool_use":
                calls.append(block["id"])
            elif block["type"] == "tool_result":
                answered.add(block["tool_use_id"])
    return [call for call in calls if call not in answered]
