"""Stands in for pip, ensurepip and jupyterlab: notes how it was called, and installs ``six``.

``FAKE_SAYS`` makes it print that and fail; ``FAKE_WAITS`` names a pipe to wait on.
"""

import os
import sys
import sysconfig
from pathlib import Path

with open(os.environ["FAKE_LOG"], "a", encoding="utf-8") as log:
    log.write(" ".join([Path(sys.argv[0]).stem, *sys.argv[1:]]) + "\n")
if "FAKE_WAITS" in os.environ:
    Path(os.environ["FAKE_WAITS"]).read_text(encoding="utf-8")
if "FAKE_SAYS" in os.environ:
    sys.exit(os.environ["FAKE_SAYS"])
Path(sysconfig.get_path("purelib"), "six").mkdir(exist_ok=True)
