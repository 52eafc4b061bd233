"""What memlab 0.2 left in a memory directory is brought into today's form.

What 0.2 itself recorded is in ``tests/upgrades``; here is what comes from elsewhere.
"""

from __future__ import annotations

import json
from pathlib import Path

from memlab.evidence.pending import waiting
from memlab.evidence.sentences import Sentence
from memlab.memdir.from_02 import convert
from memlab.memdir.journal import content_hash
from tests.faults.scenes import FreeStore


def test_what_waited_waits(tmp_path: Path) -> None:
    folder, old = FreeStore(tmp_path).folder, "Coffee at eight."
    held = {"file": "a.md", "text": "Tea.", "why": "unsupported", "who": "dream", "at": "2026"}
    held |= {"session": "s", "content": "", "stamp": {"origin": "outside"}}
    whole = held | {"file": "b.md", "content": "the whole file"}
    dream = {"before": {"a.md": old}, "changed": {"c.md": "new"}, "removed": ["a.md"]}
    dream |= {"at": "2026-04-07", "session": "s", "why": ["too much"], "reasons": {"a.md": "old"}}
    for name, content in (("sentences", [held, whole]), ("dream", dream)):
        folder.write(f".memlab/pending/{name}.json", json.dumps(content).encode(), 1)
    convert(FreeStore(tmp_path).journal, 2)
    found = waiting(folder)
    assert [(one.file, one.text, one.base, one.why, one.closes_gate) for one in found] == [
        ("a.md", "Tea.", None, "unsupported", False),
        ("b.md", "the whole file", "", "unsupported", False),
        ("c.md", "new", "", "too much", True),
        ("a.md", None, content_hash(old.encode()), "old", True),
    ]
    assert found[0].stamps == {Sentence("Tea.").key: {"origin": "outside"}}
    assert [one.name for one in (tmp_path / ".memlab" / "pending").iterdir()] == ["changes.json"]
