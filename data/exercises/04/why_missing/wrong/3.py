# message: the by of the same recall entry says who chose
def why_missing(log: list[dict], file: str) -> str:
    for entry in reversed(log):
        if entry["event"] == "recall":
            if file in entry["attached"]:
                return "attached"
            for reason, files in entry["left_out"].items():
                if file in files:
                    return reason
            return f"not chosen by {entry['by']}"
    return "no recall"
