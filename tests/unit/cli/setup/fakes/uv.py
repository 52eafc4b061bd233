"""A fake uv: installs the marks into the environment that ``--python`` names.

``FAKE_UV_SAYS`` makes it print that and fail.
"""

import os
import sys
from pathlib import Path

from installing import install

with open(os.environ["FAKE_LOG"], "a", encoding="utf-8") as log:
    log.write("uv " + " ".join(sys.argv[1:]) + "\n")
if "FAKE_UV_SAYS" in os.environ:
    print(os.environ["FAKE_UV_SAYS"], file=sys.stderr)
    sys.exit(2)
venv = Path(sys.argv[sys.argv.index("--python") + 1]).parent.parent
site = venv / "Lib" / "site-packages" if os.name == "nt" else next(venv.glob("lib/*/site-packages"))
install(sys.argv[1:], site)
