"""Says how it was called, and from where; logs as the real one does.

``FAKE_LAB_SAYS`` makes it print that and fail.
"""

import os
import sys

if "FAKE_LAB_SAYS" in os.environ:
    print(os.environ["FAKE_LAB_SAYS"], file=sys.stderr)
    sys.exit(1)
print("jupyterlab in", os.getcwd(), "hash seed", os.environ.get("PYTHONHASHSEED"))
for argument in sys.argv[1:]:
    print("option", argument)
sys.stdout.flush()
print(
    """\
[I 2026-01-31 12:00:00.000 LabApp] JupyterLab application directory is /somewhere
[C 2026-01-31 12:00:00.000 ServerApp]

    To access the server, open this file in a browser:
        file:///somewhere/jpserver-1-open.html
    Or copy and paste one of these URLs:
        http://127.0.0.1:8888/lab/tree/00_start_here.ipynb?token=abc
0.00s - Debugger warning: printed by a kernel
[W 2026-01-31 12:00:01.000 ServerApp] Notebook 00_start_here.ipynb is not trusted
[IPKernelApp] WARNING | Kernel is running over TCP without encryption.""",
    file=sys.stderr,
)
if "FAKE_LAB_FAILS_LATER" in os.environ:
    print("[E 2026-01-31 12:00:02.000 ServerApp] Uncaught exception\n  in here", file=sys.stderr)
