"""Record what this version of memlab leaves on a disk, as the stored example of the version.

Run it once, with the code that is about to be released, and commit the result:

    python3 -m tests.upgrades.leave_behind tests/upgrades/version_0_3.json

The result is one JSON object, so that no checkout changes a byte or a time of it. It maps each path
to its text (or to its bytes, as base64), its mtime in nanoseconds and its mode. Where a text names
the home's real path, it has {HOME} in its place. A second file, ``…_stamps.json``, has what ``why``
said of each sentence once the home was opened again.
"""

from __future__ import annotations

import base64
import json
import os
import stat
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from memlab.memdir.erase import erase
from memlab.memdir.places import forget_paths
from memlab.memdir.store import MemoryStore
from memlab.memdir.toggles import Toggles
from tests.faults.disks import Disk, Stopped, used_by_stores
from tests.house import House, note, talk

HOME = "{HOME}"


def use(home: Path) -> None:
    """Save, undo, forget, keep a log, share, and be interrupted in the middle of a write."""
    house = House(home)
    harness = house.harness("one", toggles=Toggles(team=True, session_memory=True))
    talk(harness, "Remember that I take my coffee black.", "I prefer tabs, always.")
    house.fill(ports="Port 5432 is open.", door="The key hangs behind the oars.")
    house.store.undo()
    erase(house.store, "door.md", places=tuple, by={"who": "user"})
    harness = house.harness("two", toggles=Toggles(daily_log=True))
    talk(harness, "Remember that the crane is out.")
    disk = Disk(house.memory)
    with suppress(Stopped), used_by_stores(disk):
        disk.stop = 20
        house.store.write_text("kayaks.md", note("Twelve.", "Kayaks"))


def restored(recorded: Path, home: Path) -> Path:
    """Make a home as it was recorded, with the times and modes that everything had."""
    for name, about in json.loads(recorded.read_text("utf-8")).items():
        path, text = home / name, about.get("text")
        if "mtime" not in about:
            path.mkdir()
        elif text is None:
            path.write_bytes(base64.b64decode(about["base64"]))
        else:
            path.write_bytes(text.replace(HOME, json.dumps(str(home))[1:-1]).encode())
        path.chmod(int(about["mode"], 8))
        if "mtime" in about:
            os.utime(path, ns=(about["mtime"],) * 2)
    forget_paths()
    return home


def recorded(home: Path) -> dict[str, Any]:
    """Give each file and folder below a home."""
    found = {}
    for path in sorted(home.rglob("*")):
        status = path.stat()
        about: dict[str, Any] = {"mode": f"{stat.S_IMODE(status.st_mode):04o}"}
        if path.is_file():
            data = path.read_bytes()
            try:
                about["text"] = data.decode().replace(str(home), HOME)
            except UnicodeDecodeError:
                about["base64"] = base64.b64encode(data).decode()
            about["mtime"] = status.st_mtime_ns
        found[path.relative_to(home).as_posix()] = about
    return found


def stores_in(home: Path) -> list[MemoryStore]:
    base = home / ".memlab"
    folders = [base / "personal", *sorted(base.glob("projects/*/memory"))]
    return [MemoryStore(one) for one in folders]


def stamps_in(home: Path) -> dict[str, list[list[Any]]]:
    """Give each sentence of each memory with its stamp, and the changes behind it."""
    found: dict[str, list[list[Any]]] = {}
    for store in stores_in(home):
        for path in sorted(store.directory.rglob("*.md")):
            if path.name == "MEMORY.md":
                continue
            lines = found[path.relative_to(home / ".memlab").as_posix()] = []
            for line in store.why(path):
                stamp, ids = line.stamp, [entry.id for entry in line.changes]
                about = [line.text, stamp.origin.label, stamp.inferred, stamp.message]
                lines.append([*about, ids, stamp.moved.get("place", "")])
    return found


def main() -> None:
    target = Path(sys.argv[1])
    os.umask(0o022)
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory() as again:
        use(Path(name))
        found: Any = recorded(Path(name))
        for file in (target, target.with_name(f"{target.stem}_stamps.json")):
            text = json.dumps(found, indent=1, ensure_ascii=False)
            file.write_text(text + "\n", "utf-8")
            found = stamps_in(restored(target, Path(again))) if file == target else None


if __name__ == "__main__":
    main()
