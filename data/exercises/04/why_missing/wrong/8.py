# message: lists files under their reason
def why_missing(log: list[dict], file: str) -> str:
    for entry in reversed(log):
        if entry["event"] == "recall":
            if file in entry["attached"]:
                return "attached"
            for reason, files in entry["left_out"].items():
                if isinstance(files, list) and file in files:
                    return reason
                else:
                    return f"not chosen by {entry['by']}"
            return f"not chosen by {entry['by']}"
    return "no recall"
