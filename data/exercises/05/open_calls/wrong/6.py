# message: An open call may be anywhere in the transcript, not only at the end
import json


def open_calls(lines: list[str]) -> list[str]:
    calls = []
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        message = entry.get("message")
        if not message or isinstance(message["content"], str):
            continue
        if message["role"] == "assistant":
            calls = [
                b["id"] for b in message["content"] if b["type"] == "tool_use"
            ]
        else:
            done = {b.get("tool_use_id") for b in message["content"]}
            calls = [call for call in calls if call not in done]
    return calls
