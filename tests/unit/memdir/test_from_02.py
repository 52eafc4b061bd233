"""What memlab 0.2 left in a memory directory is brought into today's form.

What 0.2 itself recorded is in ``tests/upgrades``; here is what comes from elsewhere.
"""

from __future__ import annotations

import json
from pathlib import Path

from memlab.evidence.pending import waiting
from memlab.memdir.from_02 import convert
from memlab.memdir.journal import content_hash
from tests.faults.scenes import FreeStore


def test_what_waited_waits(tmp_path: Path) -> None:
    folder = FreeStore(tmp_path).folder
    held = {"file": "a.md", "text": "Tea.", "why": "rise", "who": "dream", "at": "2026"}
    held |= {"session": "s", "content": "", "stamp": {"origin": "outside"}}
    dream = {"before": {"a.md": "old"}, "changed": {"c.md": "new"}, "removed": ["a.md"]}
    dream |= {"at": "2026-04-07", "session": "s", "why": ["much"]}
    dream["reasons"] = {"a.md": "x"}
    for name, content in {"sentences": [held], "dream": dream}.items():
        folder.write(f".memlab/pending/{name}.json", json.dumps(content).encode(), 1)
    convert(FreeStore(tmp_path).journal, 2)
    found = waiting(folder)
    assert [(one.file, one.text, one.base, one.why) for one in found] == [
        ("a.md", "Tea.", None, "rise"),
        ("c.md", "new", "", "much"),
        ("a.md", None, content_hash(b"old"), "x"),
    ]
    assert [*found[0].stamps.values()] == [{"origin": "outside"}]
    (left,) = (tmp_path / ".memlab" / "pending").iterdir()
    assert left.name == "changes.json"
