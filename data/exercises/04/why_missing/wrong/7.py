# message: a log without a recall entry
def why_missing(log: list[dict], file: str) -> str:
    for entry in reversed(log):
        if entry["event"] in ("select", "recall"):
            if file in entry.get("attached", {}):
                return "attached"
            for reason, files in entry.get("left_out", {}).items():
                if isinstance(files, list) and file in files:
                    return reason
            return f"not chosen by {entry.get('by')}"
    return "no recall"
