"""The labelled secrets: what the scanner finds of them, and that the store keeps them out of
``team/``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from memlab.errors import MemoryRefusedError
from memlab.evals.labelled import Label, load_ordinary, load_secrets
from memlab.evals.secrets import PLACES, Place, measure
from memlab.memdir.memory import Memory, MemoryType, format_memory
from memlab.memdir.secrets import find_secrets, remove_secrets
from memlab.memdir.store import MemoryStore

STOPPED = {"work": 39, "final": 16}
FALSE_ALARMS = {"work": 0, "final": 1}


@pytest.mark.behaviour("L2")
@pytest.mark.parametrize("half", ["work", "final"])
def test_figures_of_the_scanner(half: str) -> None:
    secrets = [case for case in load_secrets() if case.half == half]
    ordinary = [case for case in load_ordinary() if case.half == half]
    stopped = [case for case in secrets if find_secrets(case.text)]
    assert len(stopped) >= STOPPED[half]
    assert [case.id for case in stopped if case.secret in remove_secrets(case.text)] == []
    alarms = [case.id for case in ordinary if find_secrets(case.text)]
    assert len(alarms) <= FALSE_ALARMS[half]


def test_no_case_is_missing_and_the_marker_is_gone() -> None:
    cases = load_secrets()
    assert [case.id for case in cases] == [f"s{number:02}" for number in range(1, 61)]
    assert not any("·" in case.text + case.secret for case in cases)
    assert len(load_ordinary()) == 200


@pytest.mark.behaviour("L2")
@pytest.mark.parametrize("place", PLACES)
def test_the_store_keeps_a_secret_out_of_every_part_of_a_team_memory(place: Place) -> None:
    secrets = [case for case in load_secrets() if case.id in ("s02", "s28", "s53")]
    ordinary = [case for case in load_ordinary() if case.id in ("o001", "o036")]
    row = measure("work", secrets, ordinary, place).row
    assert row["stopped"] == 3
    assert row["repeated or left on the disk"] == 0
    assert row["false alarms"] == 0


@pytest.mark.behaviour("L2")
def test_a_secret_is_refused_in_the_name_of_a_team_file(tmp_path: Path) -> None:
    value = "Tamarind" + "Otter57"
    text = format_memory(Memory("Till", "the till", MemoryType.reference, "It is on the quay."))
    store = MemoryStore(tmp_path)
    with pytest.raises(MemoryRefusedError) as refusal:
        store.write_text(f"team/the-password-is-{value}.md", text)
    assert refusal.value.rule == "secret"
    assert value not in str(refusal.value)
    assert list(tmp_path.rglob("*.md")) == []


def test_a_secret_that_is_repeated_or_left_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    value = "Tamarind" + "Otter57"

    def careless(self: MemoryStore, file: str, text: str) -> None:
        (self.directory / "left.txt").write_text(text, encoding="utf-8")
        raise MemoryRefusedError(f"this looks like {value}", rule="secret")

    monkeypatch.setattr(MemoryStore, "write_text", careless)
    case = Label(
        id="s02", half="work", text=f"The password is {value}.", secret=value, kind="password"
    )
    (outcome,) = measure("work", [case], []).secrets
    assert outcome.leaked == ("the message", "left.txt")


@pytest.mark.slow
@pytest.mark.behaviour("L2")
@pytest.mark.parametrize("half", ["work", "final"])
def test_figures_of_the_store(half: str) -> None:
    row = measure(half, load_secrets(), load_ordinary()).row
    assert row["stopped"] >= STOPPED[half]
    assert row["repeated or left on the disk"] == 0
    assert row["false alarms"] <= FALSE_ALARMS[half]
