"""The LoCoMo loader on a made-up file of the same form: two talks about a boat."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memlab.evals.locomo import LocomoError, load_locomo, main, over_observations, over_summaries


def asked(question: str, *evidence: str, category: int = 1) -> dict[str, Any]:
    return {"question": question, "evidence": list(evidence), "category": category, "answer": "x"}


SAMPLE = {
    "sample_id": "conv-1",
    "qa": [
        asked("Who painted the boat?", "D1:2"),
        asked("What did the paint and the sail cost?", "D1:4; D2:1", category=3),
        asked("Where does the lighthouse stand?", "D2:3"),
        asked("Who stole the boat?", "D1:2", category=5),
        asked("Is Mara kind?", category=3),
        asked("What was never written down?", "D:2:9"),
    ],
    "conversation": {"speaker_a": "Mara", "speaker_b": "Ole", "session_1": [], "session_2": []},
    "event_summary": {},
    "observation": {
        "session_1_observation": {
            "Mara": [["Mara painted the boat.", "D1:2"], ["Mara likes rain.", "D1:3"]],
            "Ole": [["The paint cost ninety crowns.", ["D1:4", "D1:5"]]],
        },
        "session_2_observation": {"Ole": [["A sail costs more.", "D2:1, D2:2"], ["Fog.", "D2:3"]]},
    },
    "session_summary": {
        "session_1_summary": "Mara painted her boat; paint is expensive.",
        "session_2_summary": "Ole speaks of sails, of fog and of the lighthouse.",
    },
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "locomo10.json"
    file.write_text(json.dumps([SAMPLE, SAMPLE]), encoding="utf-8")
    return file


def test_evidence_is_read_in_all_its_spellings(path: Path) -> None:
    one, other = load_locomo(path)
    assert one == other
    assert [sorted(each.evidence) for each in one.questions] == [
        ["D1:2"],
        ["D1:4", "D2:1"],
        ["D2:3"],
        ["D2:9"],
    ]
    assert sorted(one.observations[2].covers) == ["D1:4", "D1:5"]
    assert [sorted(each.covers) for each in one.summaries] == [["1"], ["2"]]


def test_over_observations_evidence_is_a_turn(path: Path) -> None:
    found = over_observations(load_locomo(path))
    # Three questions each have evidence that is covered: two are found whole, the fog is not found.
    assert (found.questions, found.pieces) == (6, 5)
    assert found.recall == found.hit == found.mrr == pytest.approx(2 / 3)


def test_over_summaries_evidence_is_a_session(path: Path) -> None:
    found = over_summaries(load_locomo(path))
    # The fourth question has no word in common with either summary.
    assert (found.questions, found.pieces) == (8, 2)
    assert found.hit == pytest.approx(3 / 4)
    assert found.recall == pytest.approx(3 / 4)


def test_evidence_within_five_places_only(path: Path) -> None:
    many = {**SAMPLE, "observation": {"s": {"Ole": [["boat", f"D1:{n}"] for n in range(9)]}}}
    many["qa"] = [asked("The boat?", "D1:0", "D1:1", "D1:2", "D1:7")]
    path.write_text(json.dumps([many]), encoding="utf-8")
    found = over_observations(load_locomo(path))
    assert (found.recall, found.hit, found.mrr) == (0.75, 1, 1)


@pytest.mark.parametrize(
    "content", ["", "{}x", '{"qa": []}', '[{"qa": []}]', "[1]", '["a"]', "null"]
)
def test_another_file_is_named(path: Path, content: str) -> None:
    path.write_text(content, encoding="utf-8")
    with pytest.raises(LocomoError, match=r"locomo10\.json: .*Give the path"):
        load_locomo(path)


def test_a_file_that_is_not_there_ends_the_script_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="Give the path of locomo10"):
        main([str(tmp_path / "none.json")])


def test_nothing_to_measure_is_an_error(path: Path) -> None:
    path.write_text("[]", encoding="utf-8")
    with pytest.raises(LocomoError, match="no question"):
        over_observations(load_locomo(path))


def test_it_prints_both_rows(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(path)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("2 conversations")
    assert lines[2].split() == ["observations", "6", "5", "0.667", "0.667", "0.667"]
    assert lines[3].startswith("session summaries")
