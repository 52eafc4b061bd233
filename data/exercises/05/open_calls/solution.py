import json


def open_calls(lines: list[str]) -> list[str]:
    calls = []
    answered = set()
    for line in lines:
        try:
            record = json.loads(line)
        except ValueError:
            continue
        content = record.get("message", {}).get("content", "")
        if isinstance(content, str):
            continue
        for block in content:
            if block["type"] == "tool_use":
                calls.append(block["id"])
            if block["type"] == "tool_result":
                answered.add(block["tool_use_id"])
    return [call for call in calls if call not in answered]
