"""Runs in Pyodide under node (see ``compile.mjs``): compiles what wheels
contain, so that no learner's browser has to.

Compiling the anthropic client alone takes a browser several times as long as
the whole first cell may take. Only the browser's own Python can do this,
because another version would write another bytecode.
"""

from __future__ import annotations

import py_compile
import sys
import tempfile
import zipfile
from pathlib import Path

UNCHECKED = py_compile.PycInvalidationMode.UNCHECKED_HASH
# jedi, which completes what you type, knows Django; no notebook uses it
LEFT_OUT = (
    "jedi/third_party/django-stubs/",
    "jedi/third_party/typeshed/stubs/",
)


def compile_wheel(wheel: Path, target: Path) -> None:
    """Copy a wheel with the bytecode next to its source.

    The source stays: notebooks show it, and anyio reads its own. Compiled
    files for another system are left out: PyYAML works without.
    """
    with (
        zipfile.ZipFile(wheel) as source,
        zipfile.ZipFile(
            target, "w", zipfile.ZIP_DEFLATED, compresslevel=9
        ) as out,
    ):
        for name in source.namelist():
            if name.startswith(LEFT_OUT) or name.endswith("/"):
                continue
            data = source.read(name)
            if name.endswith((".so", ".pyd")) and "emscripten" not in name:
                continue
            code = None
            if name.endswith(".py"):
                code = _bytecode(name, data)
            out.writestr(_entry(name), data)
            if code is not None:
                out.writestr(_entry(_place(name)), code)


def _place(name: str) -> str:
    """Return where Python looks for the bytecode of a file."""
    folder, slash, file = name.rpartition("/")
    tag = sys.implementation.cache_tag
    return f"{folder}{slash}__pycache__/{file.removesuffix('.py')}.{tag}.pyc"


def _entry(name: str) -> zipfile.ZipInfo:
    """Name an entry without a time, so that the same wheels give the same
    files.
    """
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _bytecode(name: str, data: bytes) -> bytes | None:
    """Return a file's bytecode; None if it isn't Python, as in a template."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "module.py")
        path.write_bytes(data)
        try:
            made = py_compile.compile(
                str(path),
                str(path) + "c",
                dfile=name,
                doraise=True,
                invalidation_mode=UNCHECKED,
            )
        except py_compile.PyCompileError:
            return None
        return Path(made).read_bytes() if made else None


def main() -> None:
    """Compile every wheel of /wheels into /compiled."""
    for wheel in sorted(Path("/wheels").glob("*.whl")):
        print(f"compiling {wheel.name.split('-')[0]}", flush=True)
        compile_wheel(wheel, Path("/compiled", wheel.name))


if __name__ == "__main__":
    main()
