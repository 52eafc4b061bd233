# message: The folders' year and month must match those in the name
from datetime import datetime


def logs_since(paths, last):
    found = []
    for path in sorted(paths):
        name = path.split("/")[-1]
        try:
            day = datetime.strptime(name, "%Y-%m-%d.md")
        except ValueError:
            continue
        if path.startswith("logs/") and day.strftime("%Y-%m-%d") >= last:
            found.append(path)
    return found
