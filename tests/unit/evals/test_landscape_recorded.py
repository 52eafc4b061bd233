"""The recorded comparison with a real embedding model: it is complete."""

from __future__ import annotations

from pathlib import Path

import pytest

from memlab.errors import MemlabError
from memlab.evals.landscape_recorded import load_recorded
from memlab.landscape.systems import SYSTEMS


def test_the_record_names_the_model_its_packages_and_every_system() -> None:
    recorded = load_recorded()
    assert recorded.embedder == "all-MiniLM-L6-v2, 8 bits (ONNX)"
    assert all(recorded.packages.values())
    assert {each.pairs for each in recorded.pairs} == {20}
    assert set(recorded.results) == {"work", "final"}
    for half in recorded.results.values():
        assert set(half) == {"model", "bag"}
        for judged in half.values():
            assert set(judged) == {"rules", "labels"}
            for rows in judged.values():
                assert [row["system"] for row in rows] == [row.name for row in SYSTEMS]
                assert {row["questions"] for row in rows} == {20}


def test_a_record_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(MemlabError, match=r"recorded\.yaml: .*Check out"):
        load_recorded(tmp_path / "recorded.yaml")
