# message: A call is closed by a result with its id, wherever that result is
import json


def open_calls(lines: list[str]) -> list[str]:
    entries = []
    for line in lines:
        try:
            entries.append(json.loads(line))
        except ValueError:
            pass

    def blocks(entry, kind):
        content = entry.get("message", {}).get("content", "")
        if isinstance(content, str):
            return []
        return [block for block in content if block["type"] == kind]

    opened = []
    for here, after in zip(entries, [*entries[1:], {}]):
        done = {block["tool_use_id"] for block in blocks(after, "tool_result")}
        opened += [
            b["id"] for b in blocks(here, "tool_use") if b["id"] not in done
        ]
    return opened
