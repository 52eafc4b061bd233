# message: take no place
def why_unseen(files, path, limit):
    there = {known: readable for known, _, readable in files}
    if path not in there:
        return "no such file"
    if path.split("/")[-1] == "MEMORY.md" or path.startswith((".", "logs/")):
        return "not a memory"
    newest = sorted((-time, known) for known, time, _ in files)[:limit]
    if path not in [known for _, known in newest]:
        return "too old"
    return "listed" if there[path] else "not readable"
