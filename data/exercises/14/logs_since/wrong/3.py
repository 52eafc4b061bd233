# message: Other files are no logs
from datetime import date
from pathlib import PurePosixPath


def logs_since(paths, last):
    found = []
    for path in paths:
        day = date.fromisoformat(PurePosixPath(path).stem)
        if not last or day >= date.fromisoformat(last):
            found.append((day, path))
    return [path for _, path in sorted(found)]
