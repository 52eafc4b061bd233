# message: you raised JSONDecodeError
import json


def my_open_calls(lines):
    calls, done = [], []
    for line in lines:
        content = json.loads(line)["message"]["content"]
        for b in content if isinstance(content, list) else []:
            calls += [b["id"]] if b["type"] == "tool_use" else []
            done += [b["tool_use_id"]] if b["type"] == "tool_result" else []
    return [c for c in calls if c not in done]
