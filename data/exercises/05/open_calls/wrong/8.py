# message: A call is closed by a result with its id, wherever that result is
import json


def open_calls(lines: list[str]) -> list[str]:
    calls, results = [], 0
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
            elif block["type"] == "tool_result":
                results += 1
    return calls[results:]
