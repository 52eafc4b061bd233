"""Installs nothing but the marks by which the set-up knows that something is installed.

``FAKE_PIP_SAYS`` makes it print that and fail; ``FAKE_PIP_WAITS`` names a pipe it waits on first.
``FAKE_PIP_SITE`` is where it installs.
"""

import os
import sys
import sysconfig
from pathlib import Path

# This folder is a package named pip, so the shared part is imported by its place.
sys.path.insert(0, str(Path(__file__).parent.parent))
from installing import install

with open(os.environ["FAKE_LOG"], "a", encoding="utf-8") as log:
    log.write("pip " + " ".join(sys.argv[1:]) + "\n")
if "install" not in sys.argv:
    sys.exit(0)
if "FAKE_PIP_WAITS" in os.environ and "-r" in sys.argv:
    print("Collecting patience", flush=True)
    Path(os.environ["FAKE_PIP_WAITS"]).read_text(encoding="utf-8")
if "FAKE_PIP_SAYS" in os.environ:
    print(os.environ["FAKE_PIP_SAYS"])
    sys.exit(1)
site = Path(os.environ.get("FAKE_PIP_SITE") or sysconfig.get_path("purelib"))
site.mkdir(exist_ok=True)
install(sys.argv[1:], site)
