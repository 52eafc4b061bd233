# message: A line without a message has no calls
import json


def open_calls(lines: list[str]) -> list[str]:
    calls, answered = [], set()
    for line in lines:
        try:
            content = json.loads(line)["message"]["content"]
        except ValueError:
            continue
        if isinstance(content, str):
            continue
        for block in content:
            if block["type"] == "tool_use":
                calls.append(block["id"])
            elif block["type"] == "tool_result":
                answered.add(block["tool_use_id"])
    return [call for call in calls if call not in answered]
