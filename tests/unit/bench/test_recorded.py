"""The answers that the course ships: each belongs to a case, nothing secret is in them, and the
tables come from what was stored.
"""

from __future__ import annotations

import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from memlab.bench import recorded, replay
from memlab.bench.recorded import (
    FOLDER,
    Recorded,
    chosen_cases,
    judged,
    recorded_variant,
    variant_table,
)
from memlab.bench.tasks import TASKS
from memlab.bench.variants import BASE, Variant
from memlab.cli.bench import main
from memlab.errors import ModelError, PromptError
from memlab.memdir.secrets import find_secrets

SELECT = TASKS["select"]
RECORDED = ("select", "extract", "dream", "follow")


def test_it_is_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 6_000_000
    assert len(list(FOLDER.iterdir())) <= 20


@pytest.mark.parametrize("name", RECORDED)
def test_each_answer_belongs_to_a_case_and_says_who_gave_it(name: str) -> None:
    task, known = TASKS[name], {BASE, "without", *variant_table()}
    asked = {case.id: case.half for half in ("work", "final") for case in task.cases(half)}
    found = recorded.recorded(name)
    assert len({(one.case, one.variant, one.run) for one in found}) == len(found) > 0
    for one in found:
        assert asked[one.case] == one.half
        assert one.variant in known
        assert one.context
        assert one.calls
        assert all(len(call["messages"]) == 12 and call["answer"] for call in one.calls)


@pytest.mark.parametrize("name", RECORDED)
def test_no_answer_to_our_own_prompts_is_stale(name: str) -> None:
    assert [one.case for one in recorded.stale(TASKS[name])] == []


def test_nothing_secret_is_in_them() -> None:
    for path in FOLDER.glob("*.jsonl"):
        assert "/home/" not in path.read_text(encoding="utf-8")
    for name in RECORDED:
        for one in recorded.recorded(name):
            text = json.dumps([call["answer"] for call in one.calls])
            assert not [x for x in find_secrets(text) if x.kind == "API key"], one.case


def test_the_table_is_computed_from_what_was_stored() -> None:
    (first, *_), other = replay.rows(SELECT, "work"), recorded.recorded("select")[0]
    assert first.name == BASE
    wrong = Recorded(**{**vars(other), "stored": ["no-such.md"]})
    assert judged(SELECT, other).stored == other.stored
    assert not judged(SELECT, wrong).correct
    assert first.share > 0.8, "a model chooses well"


def test_several_tests_cost_more() -> None:
    assert replay.holm([0.01, 0.04, 0.5]) == pytest.approx([0.03, 0.08, 0.5])
    assert replay.holm([]) == []


def test_a_variant_is_made_from_the_text_of_today(tmp_path: Path) -> None:
    made = recorded_variant("without_unsure", tmp_path)
    assert "aren't sure" not in made.prompts.text("select")
    assert len(chosen_cases(SELECT, "without_warning", "work")) == 22


def test_a_text_that_has_gone_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = {"odd": {"prompt": "select", "removes": ["no such words"]}}
    monkeypatch.setattr(recorded, "variant_table", lambda: table)
    with pytest.raises(PromptError, match="not there exactly once"):
        recorded_variant("odd", tmp_path)


def test_the_command_prints_the_table_without_asking(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["select", "--model", "replay", "--prompts", "base,without_unsure"]) == 0
    shown = capsys.readouterr().out
    assert "without_unsure" in shown
    assert "bare" not in shown
    assert recorded.LABEL in shown
    assert main(["select", "--model", "replay", "--prompts", "nothing"]) == 2
    assert "nothing is recorded of nothing" in capsys.readouterr().err


def test_the_page_about_the_prompts_is_up_to_date() -> None:
    assert replay.PAGE.read_text(encoding="utf-8") == replay.prompts_page()


def test_what_is_recorded_is_what_was_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real server answers; the line has its answer, and a second run asks nothing more."""
    case = SELECT.cases("work")[0]
    asked = list[str]()

    class Answers(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(self.rfile.read(int(self.headers["content-length"])).decode())
            block = {"type": "text", "text": '{"selected_memories": []}'}
            message = {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "model": "m",
                "content": [block],
                "stop_reason": "end_turn",
                "stop_sequence": None,
                "usage": {"input_tokens": 0, "output_tokens": 0},
            }
            data = json.dumps(message).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    monkeypatch.setattr(recorded, "FOLDER", tmp_path)
    monkeypatch.setattr(recorded.recorded, "__defaults__", (tmp_path,))
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    for _ in range(2):
        asyncio.run(recorded.record(SELECT, [case], Variant(BASE), "a", url))
    server.shutdown()
    server.server_close()
    (line,) = (tmp_path / "select.jsonl").read_text().splitlines()
    one = Recorded(**json.loads(line))
    assert (one.case, one.stored, len(asked)) == (case.id, [], 1)
    assert one.calls[0]["answer"][0]["text"] == '{"selected_memories": []}'


def test_where_nobody_answers_nothing_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorded, "FOLDER", tmp_path)
    monkeypatch.setattr(recorded.recorded, "__defaults__", (tmp_path,))
    monkeypatch.setattr(recorded, "TRIES", 0)
    case = SELECT.cases("work")[0]
    with pytest.raises(ModelError, match="no answer came"):
        asyncio.run(recorded.record(SELECT, [case], Variant(BASE), "a", "http://127.0.0.1:9"))
    assert not (tmp_path / "select.jsonl").exists()
