# message: If there was no dream yet, all logs count
import re
from datetime import date


def logs_since(paths, last):
    since = date.fromisoformat(last)
    found = []
    for path in paths:
        m = re.fullmatch(r"logs/(\d{4})/(\d\d)/(\1-\2-\d\d)\.md", path)
        if not m:
            continue
        try:
            day = date.fromisoformat(m[3])
        except ValueError:
            continue
        if day >= since:
            found.append(path)
    return sorted(found)
