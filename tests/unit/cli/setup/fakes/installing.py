"""What the fakes of pip and uv share: the marks of installed packages."""

import json
import re
import sys
from pathlib import Path


def install(arguments: list[str], site: Path) -> None:
    """Install a lock file given with ``-r`` and its hashes, or the current folder with ``-e``."""
    if "-e" in arguments:
        mark = site / "memlab-0.1.0.dist-info"
        mark.mkdir(exist_ok=True)
        origin = {"url": Path.cwd().as_uri(), "dir_info": {"editable": True}}
        (mark / "direct_url.json").write_text(json.dumps(origin), encoding="utf-8")
        return
    if "--require-hashes" not in arguments:
        sys.exit("a lock file is installed with --require-hashes")
    locked = Path(arguments[arguments.index("-r") + 1]).read_text(encoding="utf-8")
    for name, version in re.findall(r"^([\w-]+)==(\S+)", locked, re.MULTILINE):
        (site / f"{name.replace('-', '_')}-{version}.dist-info").mkdir(exist_ok=True)
