"""Says how it was called; fails when ``FAKE_PYTEST_FAILS`` stands in its arguments."""

import os
import sys

arguments = " ".join(sys.argv[1:])
seen = {name: os.environ.get(name) for name in ("PYTHONHASHSEED", "ANTHROPIC_API_KEY")}
print("pytest", arguments, seen, "home:", os.listdir(os.environ["MEMLAB_COURSE_HOME"]))
if os.environ.get("FAKE_PYTEST_EMPTY", "-") in arguments.split():
    sys.exit(5)
sys.exit(1 if os.environ.get("FAKE_PYTEST_FAILS", "-") in arguments.split() else 0)
