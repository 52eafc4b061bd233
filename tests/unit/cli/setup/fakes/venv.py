"""Stands in for the standard library's ``venv``: makes a real environment, but without pip.

``FAKE_VENV_SAYS`` makes it print that and fail; ``FAKE_VENV_WAITS`` names a pipe to wait on midway.
"""

import os
import sys
from pathlib import Path

if __name__ == "__main__":
    here = str(Path(__file__).parent)
    sys.path = [folder for folder in sys.path if folder != here]
    target = Path(sys.argv[-1])
    with open(os.environ["FAKE_LOG"], "a", encoding="utf-8") as log:
        log.write("venv --without-pip\n" if "--without-pip" in sys.argv else "venv\n")
    if "FAKE_VENV_WAITS" in os.environ:
        (target / "lib").mkdir()
        Path(os.environ["FAKE_VENV_WAITS"]).read_text(encoding="utf-8")
    if "FAKE_VENV_SAYS" in os.environ:
        sys.exit(os.environ["FAKE_VENV_SAYS"])

    import venv

    venv.EnvBuilder(with_pip=False, symlinks=os.name != "nt").create(target)
    (site,) = [target / "Lib" / "site-packages"] if os.name == "nt" else target.glob("lib/*/site-*")
    if "--without-pip" not in sys.argv:
        (site / "pip").mkdir()
        (site / "pip" / "__main__.py").touch()
