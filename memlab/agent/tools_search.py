"""Grep and Glob: what stands in the files, and which files there are; bounded
in size and time.

Left out: the search itself (``search_process``), which is ended when it takes
too long.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from memlab.agent.tool import Given, ToolContext, ToolError

GREP_RESULTS, GLOB_RESULTS, MOST_RESULTS, MOST_AROUND = 200, 100, 1_000, 100
SECONDS = 10.0
_SCRIPT = Path(__file__).with_name("search_process.py")


def grep(given: Given, context: ToolContext) -> str:
    """Search in files for a regular expression."""
    glob, around = given.get("glob", "*"), given.get("-C", 0)
    task = {
        "mode": given.get("output_mode", "files_with_matches"),
        "pattern": given["pattern"],
        "glob": glob if "/" in glob else f"**/{glob}",
        "ignore_case": given.get("-i", False),
        "before": min(given.get("-B", around), MOST_AROUND),
        "after": min(given.get("-A", around), MOST_AROUND),
        "limit": min(given.get("head_limit", GREP_RESULTS), MOST_RESULTS),
    }
    return _search(task, given, context) or "No matches."


def glob(given: Given, context: ToolContext) -> str:
    """List the files and folders that fit a glob."""
    task = {"mode": "glob", "glob": given["pattern"], "limit": GLOB_RESULTS}
    return _search(task, given, context) or "No files."


def _search(task: dict[str, Any], given: Given, context: ToolContext) -> str:
    root, pattern = context.path(given.get("path", ".")), task["glob"]
    real, shown = context.real_path(root), context.show(root)
    above = pattern.startswith(("/", "~/")) or ".." in pattern.split("/")
    if not pattern or above or pattern == "~":
        what = f"{pattern!r} does not go on from a folder"
        raise ToolError(what, do="Give the folder as path")
    if not real.exists():
        do = "Use Glob to see what does"
        raise ToolError(f"{shown} does not exist", do=do)
    closed = [
        place.relative_to(real).as_posix()
        for place in context.closed_places
        if place.is_relative_to(real)
    ]
    task |= {"root": str(real), "shown": shown, "closed": closed}
    note = ""
    try:
        ran = subprocess.run(
            [sys.executable, "-I", "-S", str(_SCRIPT)],
            input=json.dumps(task).encode(),
            capture_output=True,
            timeout=SECONDS,
        )
        out, wrong = ran.stdout, ran.stderr.decode("utf-8", "replace").strip()
    except subprocess.TimeoutExpired as error:
        out, wrong = error.stdout or b"", ""
        note = f"[stopped after {SECONDS:g} s: ask for less]"
    if wrong:
        what = f"This cannot be searched for: {wrong.splitlines()[-1]}"
        raise ToolError(what)
    found = out.decode("utf-8", "replace").splitlines()
    limit = task["limit"]
    if len(found) > limit:
        note = f"[the first {limit}; there are more: ask more narrowly]"
    return "\n".join([*found[:limit], note]).strip("\n")
