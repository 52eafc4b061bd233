from __future__ import annotations

from memlab.course import begin, build_request, my, scoreboard
from memlab.course.baselines import STAGES
from memlab.text import request_text


def test_without_memory_nothing_is_there_and_a_summary_does_not_help() -> None:
    board = scoreboard(begin(0))
    assert [(row.label, row.found, row.of) for row in board.rows] == [
        ("nothing", 0, 12),
        ("after a summary", 0, 12),
    ]
    assert board.rows[1].tokens_mean > board.rows[0].tokens_mean + 100


def test_it_is_measured_anew_each_time() -> None:
    lab = begin(0)
    before = scoreboard(lab).rows[0]
    claude_md = lab.project / "CLAUDE.md"
    text = claude_md.read_text(encoding="utf-8")
    claude_md.write_text(text + "\nAsk Gullwing.\n", encoding="utf-8")
    after = scoreboard(lab).rows[0]
    assert (before.found, after.found) == (0, 1)
    assert after.tokens_mean > before.tokens_mean


def test_a_row_is_the_same_whatever_a_notebook_has_done_to_its_memory() -> None:
    lab = begin(4)
    before = scoreboard(lab).rows
    index = lab.memory / "MEMORY.md"
    index.write_text("- [New](new.md) — colour-blind\n", encoding="utf-8")
    (lab.memory / "last-ferry-home.md").unlink()
    assert scoreboard(lab).rows == before


def test_the_learners_rule_measures() -> None:
    def contains_evidence(text: str, evidence: str) -> bool:
        return False

    lab = begin(4)
    with my.completed(contains_evidence=contains_evidence):
        assert {row.found for row in scoreboard(lab).rows} == {0}


def test_stages_to_come_wait_for_their_notebook() -> None:
    rows_at_the_start = scoreboard(begin(0)).rows
    numbers = [int(stage.name.split()[0]) for stage in STAGES]
    assert numbers == sorted(numbers)
    assert len(scoreboard(begin(12)).rows) == len(STAGES)
    assert len(rows_at_the_start) == numbers.count(0)


def test_both_forms_show_the_same_figures() -> None:
    board = scoreboard(begin(0))
    for shown in (board._repr_markdown_(), repr(board)):
        assert "0 / 12" in shown
        assert f"{board.rows[1].tokens_mean:,}" in shown
    assert [row[0] for row in board.detail.rows] == [f"q{n:02d}" for n in range(1, 13)]


def test_a_request_holds_the_words_last_and_no_path_of_this_machine() -> None:
    lab = begin(0)
    request = build_request(lab, "What now?", "a reminder")
    blocks = request["messages"][0]["content"]
    assert [block["text"] for block in blocks] == [
        "<system-reminder>\na reminder\n</system-reminder>",
        "What now?",
    ]
    assert str(lab.home) not in request_text(request)
