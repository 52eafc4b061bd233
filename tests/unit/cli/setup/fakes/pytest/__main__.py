"""Says how it was called; fails if what ``FAKE_PYTEST_FAILS`` names is in its arguments.

``FAKE_PYTEST_WAITS`` names a pipe to wait on.
"""

import os
import sys
from pathlib import Path

arguments = " ".join(sys.argv[1:])
seen = {name: os.environ.get(name) for name in ("PYTHONHASHSEED", "ANTHROPIC_API_KEY")}
print("pytest", arguments, seen, "home:", os.listdir(os.environ["MEMLAB_COURSE_HOME"]))
if "FAKE_PYTEST_WAITS" in os.environ:
    Path(os.environ["FAKE_PYTEST_WAITS"]).read_text(encoding="utf-8")
if os.environ.get("FAKE_PYTEST_EMPTY", "-") in arguments.split():
    sys.exit(5)
sys.exit(1 if os.environ.get("FAKE_PYTEST_FAILS", "-") in arguments.split() else 0)
