"""What the fakes of pip and uv share: the marks of installed packages, and wheels."""

import json
import os
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


def download(arguments: list[str]) -> None:
    """Write a wheel for each requirement, and half of one if ``FAKE_PIP_WAITS`` names a pipe."""
    folder = Path(arguments[arguments.index("--dest") + 1])
    wanted = Path(arguments[arguments.index("-r") + 1]).read_text(encoding="utf-8")
    if "FAKE_PIP_WAITS" in os.environ:
        (folder / "half.whl").touch()
        Path(os.environ["FAKE_PIP_WAITS"]).read_text(encoding="utf-8")
    if "FAKE_PIP_SAYS" in os.environ:
        sys.exit(os.environ["FAKE_PIP_SAYS"])
    for name, version in re.findall(r"^([\w-]+)==(\S+)", wanted, re.MULTILINE):
        if name == os.environ.get("FAKE_PIP_LACKS"):
            sys.exit(f"ERROR: No matching distribution found for {name}=={version}")
        file = f"{name.replace('-', '_')}-{version}-py3-none-any.whl"
        if name == "driftwood":
            tag = arguments[arguments.index("--platform") + 1]
            python = "".join(arguments[arguments.index("--python-version") + 1].split(".")[:2])
            file = f"{name}-{version}-cp{python}-cp{python}-{tag}.whl"
        (folder / file).write_text(name, encoding="utf-8")
