"""The two weeks with a model: a server answers by the rules, so what is recorded is the rules'
memory.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memlab.bench import recorded
from memlab.course import weeks
from memlab.course.lab import Lab
from memlab.course.weeks import NONE, RULES, SCRIPT, WITH_MODEL, session_lines
from memlab.models.offline import OfflineModel
from tests.unit.bench.endpoint import Flaky, bodies, served

SESSIONS = 2
FIRST = 5
"""How many calls the first session makes."""


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have two sessions."""
    every = weeks.story_sessions
    monkeypatch.setattr(weeks, "story_sessions", lambda lab: every(lab)[:SESSIONS])


def run(folder: Path, *more: str) -> None:
    words = ["--folder", str(folder), "--homes", str(folder / "homes")]
    weeks.main([*words, *more])


def record(folder: Path, model: OfflineModel) -> None:
    contexts = folder / "contexts"
    contexts.mkdir(exist_ok=True)
    lines = (json.dumps({"key": f"offline_{n:04d}", "new": []}) for n in range(100))
    (contexts / "w1.jsonl").write_text("\n".join(lines), encoding="utf-8")
    with served(model) as url:
        run(folder, "--base-url", url, "--contexts", str(contexts))


def kept(folder: Path, variant: str) -> list[dict[str, str]]:
    return [
        {name: one["text"] for name, one in line.stored["memories"].items()}
        for line in session_lines(variant, folder)
    ]


def test_it_goes_on_after_the_last_finished_session_and_keeps_what_the_rules_keep(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        record(tmp_path, Flaky(lambda n: 500 if n > FIRST + 1 else ""))
    assert "no answer came (status 500)" in capsys.readouterr().err
    assert [len(kept(tmp_path, one)) for one in (SCRIPT, RULES, WITH_MODEL)] == [2, 2, 1]
    assert weeks.answers(NONE, tmp_path) == []

    model = Flaky()
    record(tmp_path, model)
    assert kept(tmp_path, WITH_MODEL) == kept(tmp_path, RULES) != [{}, {}]
    lines = [
        json.loads(line) for line in (tmp_path / "weeks.jsonl").read_text("utf-8").splitlines()
    ]
    assert len(lines) == 3 * SESSIONS + 3 * 12
    second = session_lines(WITH_MODEL, tmp_path)[1]
    assert second.stored["calls"] == {"select": 3, "extract": 7}
    assert len(second.calls) == 10
    assert second.context == "w1"
    assert "2026-03-17" in second.stored["at"]
    assert str(tmp_path) not in json.dumps([*bodies(model), *lines])

    capsys.readouterr()
    run(tmp_path)
    shown = capsys.readouterr().out
    assert recorded.LABEL in shown
    assert "17 Mar                  6             2 / 12                 1 " in shown


def test_an_old_text_is_kept_once(tmp_path: Path) -> None:
    memory = {"a.md": {"text": "A", "mtime": 1}}
    first = weeks._line("s1", [], RULES, {"memories": memory})
    second = weeks._line("s2", [], RULES, {"memories": {**memory, "b.md": memory["a.md"]}})
    for one, earlier in ((first, []), (second, [first])):
        recorded.append("weeks", weeks._without_old_texts(one, earlier), tmp_path)
    text = (tmp_path / "weeks.jsonl").read_text("utf-8")
    assert text.count('"text"') == 1
    assert kept(tmp_path, RULES) == [{"a.md": "A"}, {"a.md": "A", "b.md": "A"}]
    memories = session_lines(RULES, tmp_path)[1].stored["memories"]
    assert weeks.read_memory(weeks.write_memory(memories, tmp_path / "memory")) == memories


def test_an_answer_counts_with_all_the_words_of_the_evidence() -> None:
    question = Lab(12, "offline").questions[0]
    assert weeks.is_answered(question, "Tabs, not spaces, and single quotes.")
    assert not weeks.is_answered(question, "Tabs, not spaces.")


def test_without_a_server_or_a_record_it_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def replayed(*_: object) -> None:
        pass

    monkeypatch.setattr(weeks, "_record_replay", replayed)
    with pytest.raises(SystemExit):
        run(tmp_path)
    assert "Record them, with --base-url" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        run(tmp_path, "--base-url", "http://127.0.0.1:9")
    assert "Start the server" in capsys.readouterr().err
    assert session_lines(WITH_MODEL, tmp_path) == []
