"""The labelled secrets: how many the scanner finds, and that the store keeps them out of team/."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memlab.errors import MemoryRefusedError
from memlab.evals.labelled import LABELLED, Label, load_labels
from memlab.memdir.secrets import find_secrets, remove_secrets
from memlab.memdir.store import MemoryStore
from tests.house import note


def labels(file: str, half: str) -> Iterator[Label]:
    """Read one half, without the dots that keep other scanners from taking a case for a leak."""
    for case in load_labels(LABELLED / "secrets" / file):
        if case.half == half:
            yield Label((key, text.replace("·", "")) for key, text in case.items())


@pytest.mark.behaviour("L2")
@pytest.mark.parametrize(("half", "stopped", "alarms"), [("work", 39, 0), ("final", 16, 1)])
def test_figures_of_the_scanner(half: str, stopped: int, alarms: int) -> None:
    secrets, ordinary = labels("secrets.yaml", half), labels("ordinary.yaml", half)
    found = [case for case in secrets if find_secrets(case.text)]
    assert len(found) >= stopped
    assert sum(bool(find_secrets(case.text)) for case in ordinary) <= alarms
    assert [case.id for case in found if case.secret in remove_secrets(case.text)] == []


@pytest.mark.behaviour("L2")
@pytest.mark.parametrize("place", ["body", "name", "description", "index line", "file name"])
def test_the_store_keeps_a_secret_out_of_every_part(place: str, tmp_path: Path) -> None:
    value = "Tamarind" + "Otter57"
    said, store = f"The password is {value}.", MemoryStore(tmp_path)
    parts = {"body": "It is on the quay.", "name": "Till", "about": "the till"}
    store.write_text("team/till.md", note(**parts, type="reference"))
    parts["about" if place == "description" else place] = said
    text = note(parts["body"], parts["name"], "reference", parts["about"])
    file = f"team/the-password-is-{value}.md" if place == "file name" else "team/till.md"
    if place == "index line":
        file, text = "team/MEMORY.md", f"- [Till](till.md) — {said}\n"
    with pytest.raises(MemoryRefusedError) as refusal:
        store.write_text(file, text)
    assert refusal.value.rule == "secret"
    assert value not in str(refusal.value)
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(value.encode() in path.read_bytes() + path.name.encode() for path in kept)
