"""`python3 -m memlab bench` against an endpoint on this machine: what is asked, kept and said."""

from __future__ import annotations

import io
import json
import signal
from collections.abc import Mapping
from pathlib import Path

import httpx2
import pytest

from memlab.bench.answer import Answer as Graded
from memlab.bench.log import Spent, read_log
from memlab.bench.plan import Plan
from memlab.bench.run import Progress
from memlab.cli import bench as command
from memlab.models.offline import refused
from memlab.prompts import prompt_text
from tests.unit.bench.endpoint import Flaky, bench, bodies, one_file, served, the_log

pytestmark = pytest.mark.usefixtures("rough_figures")

EIGHT = ("select", "--prompts", "base,mine", "--model", "live", "--limit", "4", "--jobs", "1")

RULES = ("select-fallback-rules", ".")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a variant `mine`, and no settings of the person who runs the tests."""
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "select.md").write_text(prompt_text("select") + "\nBe brief.")
    monkeypatch.chdir(tmp_path)
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN", "MEMLAB_MODEL"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture(scope="module")
def baselines() -> dict[tuple[str, ...], list[Graded]]:
    """What the rules have answered, by task and cases: always the same."""
    return {}


@pytest.fixture(autouse=True)
def one_baseline(
    baselines: dict[tuple[str, ...], list[Graded]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ask the rules only once for the fixed line of a report."""
    ask_rules = command._rules

    def remembered(planned: Plan, folder: Path) -> list[Graded]:
        asked = (planned.task.name, *(case.id for case in planned.cases))
        if asked not in baselines:
            baselines[asked] = ask_rules(planned, folder)
        return baselines[asked]

    monkeypatch.setattr(command, "_rules", remembered)


def test_a_run_asks_everything_once_and_the_same_command_asks_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = Flaky()
    with served(model) as url:
        assert bench(tmp_path, *EIGHT, "--base-url", url, "--repeat", "2") == 0
        shown = capsys.readouterr().out
        assert model.calls == 16
        assert bench(tmp_path, *EIGHT, "--base-url", url, "--repeat", "2") == 0
        assert model.calls == 16
        assert bench(tmp_path, *EIGHT, "--base-url", url, "--repeat", "3") == 0
        assert model.calls == 24
    assert "4 cases, 2 × each, prompts: base, mine; answered by claude-sonnet-5-5" in shown
    assert "With fewer than 20 cases there is no verdict." in shown
    assert "Estimate: 16 calls" in shown
    assert "+Be brief." in shown
    assert "rules (no language model, ignores the prompt)" in shown
    assert len(the_log(tmp_path).answers) == 24
    report = one_file(tmp_path, "select-claude-sonnet-5-5-at-*.txt").read_text()
    assert "+Be brief." in report
    systems = [body["system"][0]["text"] for body in bodies(model)]
    assert sum("Be brief." in system for system in systems) == 12


def test_a_prompt_can_be_compared_with_itself(tmp_path: Path) -> None:
    model = Flaky()
    words = ("select", "--prompts", "base,base", "--model", "live", "--limit", "4")
    with served(model) as url:
        assert bench(tmp_path, *words, "--base-url", url) == 0
    assert model.calls == 8  # each side has answers of its own
    assert sorted({key.repeat for key in the_log(tmp_path).answers}) == [1, 2]
    text = one_file(tmp_path, "select-*.txt").read_text()
    assert "base again against base" in text


# What ends a run early


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_ctrl_c_keeps_what_is_there_and_the_same_command_goes_on(
    number: signal.Signals,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Impatient(command.Bar):
        def show(self, progress: Progress) -> None:
            if progress.asked == 3:
                signal.raise_signal(number)

    model = Flaky()
    with served(model) as url:
        with monkeypatch.context() as patched:
            patched.setattr(command, "Bar", Impatient)
            assert bench(tmp_path, *EIGHT, "--base-url", url) == 130
        shown = capsys.readouterr()
        kept = len(the_log(tmp_path).answers)
        assert 3 <= kept < 8
        assert f"{kept} of 8 answers." in shown.err
        assert "Stopping as soon as the current answers are complete." in shown.err
        assert "To continue, give the same command again." in shown.err
        assert bench(tmp_path, *EIGHT, "--base-url", url) == 0
    assert model.calls == 8
    log = the_log(tmp_path)
    assert [part.ended for part in log.parts] == ["interrupted", "finished"]
    assert {part.run.number for part in log.parts} == {1}


def test_a_budget_is_never_exceeded_and_a_resumed_run_keeps_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*EIGHT[:-1], "4"]
    with served(Flaky()) as url:
        assert bench(tmp_path / "whole", *words, "--base-url", url) == 0
        whole = the_log(tmp_path / "whole").spent(1)
        half = ("--budget", f"{whole.dollars / 2}", "--base-url", url)
        capsys.readouterr()
        assert bench(tmp_path, *words, *half) == 3
        assert "The budget is reached" in capsys.readouterr().err
        first = the_log(tmp_path).spent(1)
        assert 0 < first.dollars <= whole.dollars / 2
        assert bench(tmp_path, *words, *half) == 3
        again = the_log(tmp_path).spent(1)
        assert again.dollars <= whole.dollars / 2
        tokens = ("--budget-tokens", f"{again.tokens}", "--base-url", url)
        assert bench(tmp_path, *words, *tokens) == 3
        assert the_log(tmp_path).spent(1) == again
        assert bench(tmp_path, *words, "--budget", "9", "--base-url", url) == 0
    assert len(the_log(tmp_path).answers) == 8


@pytest.mark.parametrize(
    ("status", "says"),
    [
        (401, "does not accept the key (401)"),
        (404, "has no model 'claude-sonnet-5-5', or is not a Messages endpoint (404)"),
        (429, "limits the number of calls (429)"),
        (500, "failed (500)"),
        (529, "is overloaded (529). Try again later."),
        (302, "redirects to another address (302)"),
        (400, "5 answers in a row failed. The last error was: BadRequestError 400"),
    ],
)
def test_an_endpoint_that_fails_ends_the_run_and_the_same_command_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], status: int, says: str
) -> None:
    good = 1 if status == 400 else 3
    model = Flaky(lambda number: status if number > good else "")
    with served(model) as url:
        assert bench(tmp_path, *EIGHT, "--base-url", url) == 4
        shown = capsys.readouterr()
        assert says in shown.err
        # a refusal may be about the case, but five are not: no money left, for example
        assert len(the_log(tmp_path).answers) == good
        if status == 401:
            assert "3 of 8 answers" in shown.err
            assert "Answers missing: 5." in " ".join(shown.out.split())
            model.fails = lambda number: ""
            assert bench(tmp_path, *EIGHT, "--base-url", url) == 0
            assert len(the_log(tmp_path).answers) == 8


@pytest.mark.parametrize("page", [b"<html>Welcome!</html>", b"[]", b'{"content": 0.5}'])
def test_a_server_of_something_else_is_no_endpoint_and_leaves_no_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], page: bytes
) -> None:
    with served(Flaky(lambda number: page)) as url:
        assert bench(tmp_path, *EIGHT, "--base-url", url) == 4
    assert "so it is not a Messages endpoint" in capsys.readouterr().err
    assert not the_log(tmp_path).answers


@pytest.mark.parametrize("last", [400, 200])
def test_a_refused_case_is_an_answer_only_where_others_are_answered(
    tmp_path: Path, last: int
) -> None:
    def fails(number: int) -> int | str:
        return "" if number == 3 and last == 200 else 400

    with served(Flaky(fails)) as url:
        words = ("select", "--model", "live", "--limit", "3", "--jobs", "1", "--base-url", url)
        assert bench(tmp_path, *words) == (0 if last == 200 else 4)
    by = sorted(answer.by for answer in the_log(tmp_path).answers.values())
    assert by == (["fallback", "fallback", "model"] if last == 200 else [])


def test_a_terminal_that_is_gone_does_not_end_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Gone(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError(32, "Broken pipe")

    monkeypatch.setattr(command.sys, "stderr", Gone())
    with served(Flaky()) as url:
        assert bench(tmp_path, *EIGHT, "--base-url", url) == 0
    assert [part.ended for part in the_log(tmp_path).parts] == ["finished"]


def test_a_bar_stays_in_its_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr(command.sys.stderr, "isatty", lambda: True, raising=False)
    bar = command.Bar("select", money=True)
    for done in (0, 7):
        bar.show(Progress(done, 120, done, 3, Spent(7, 0.5), 60.0))
    lines = capsys.readouterr().err.split("\r")
    assert "0 of 120" in lines[1]
    assert max(map(len, lines)) < 40


def test_an_address_where_nothing_answers_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with served(Flaky()) as url:
        pass
    assert bench(tmp_path, *EIGHT, "--base-url", url) == 4
    assert f"Nothing answers at {url}. Start the server" in capsys.readouterr().err


@pytest.mark.parametrize("fault", ["bad_json", "refusal"])
def test_junk_is_a_wrong_answer_of_the_fallback_and_no_dead_endpoint(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fault: str
) -> None:
    with served(Flaky(lambda number: fault)) as url:
        assert bench(tmp_path, *EIGHT, "--base-url", url) == 0
    answers = list(the_log(tmp_path).answers.values())
    assert len(answers) == 8
    assert {(answer.by, answer.correct) for answer in answers} == {("fallback", False)}
    assert "100.0 %" in capsys.readouterr().out


# Tapes


@pytest.mark.behaviour("M1")
def test_a_replay_gives_the_same_table_and_a_changed_prompt_is_a_miss(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with served(Flaky()) as url:
        live = bench(tmp_path / "live", *EIGHT, "--base-url", url, "--record", "a.jsonl")
    assert live == 0
    recorded = figures(capsys.readouterr().out)
    replay = [*EIGHT[:4], "replay", *EIGHT[5:], "--tape", "a.jsonl"]
    header = json.loads(Path("a.jsonl").read_text().splitlines()[0])
    assert bench(tmp_path / "replay", *replay) == 0
    replayed = capsys.readouterr().out
    assert figures(replayed) == recorded
    assert f"recorded {header['date']} (replayed)" in " ".join(replayed.split())

    (tmp_path / "mine" / "select.md").write_text(prompt_text("select") + "\nBe polite.")
    assert bench(tmp_path / "changed", *replay) == 5
    shown = capsys.readouterr().err
    assert "+ Be polite." in shown
    assert "the system prompt differs" in shown
    assert "bench select --prompts base,mine --model live" in shown
    assert "--record a.jsonl" in shown
    # how it was reached is not on the tape, but that it was somewhere else is
    assert "--model-name claude-sonnet-5-5 --base-url URL" in shown


def figures(shown: str) -> list[str]:
    """The table, without what differs between a model and its tape: the price."""
    table = shown.partition("prompt version")[2].partition("US dollars")[0]
    return table.splitlines()


def test_a_key_reaches_neither_tape_nor_log_nor_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    key = "kq-53-very-private-words"
    monkeypatch.setenv("ANTHROPIC_API_KEY", key)
    with served(Flaky(lambda number: 400 if number % 3 == 0 else "")) as url:
        bench(tmp_path / "out", *EIGHT, "--base-url", f"{url}/{key}", "--record", "a.jsonl")
        bench(tmp_path / "out", *EIGHT, "--base-url", url, "--record", "a.jsonl")
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.suffix for path in written} >= {".jsonl", ".txt"}
    for path in written:
        assert key not in path.read_text()
    # so it was there to be removed
    assert "refused, with [removed]" in (tmp_path / "a.jsonl").read_text()
    log = one_file(tmp_path / "out", "select-claude*.jsonl")
    assert "[removed]" in log.read_text()
    shown = capsys.readouterr()
    assert key not in shown.out + shown.err


def test_a_tape_gets_the_answers_of_one_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--model", "live", "--limit", "1", "--record", "a.jsonl", "--base-url")
    with served(Flaky()) as url:
        assert bench(tmp_path, "select", *words, url) == 0
        assert bench(tmp_path, "follow", *words, url) == 2
    assert "a.jsonl already has requests to claude-sonnet-5-5" in capsys.readouterr().err


# What was typed


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["shout"], "there is no task 'shout'"),
        (["follow"], "rules cannot answer the task follow"),
        (["select", "--cases", "t01,nope"], "not in this half: nope"),
        (["select", "--prompts", "base,nope"], "there is no variant 'nope'"),
        (["select", "--budget", "0.5"], "the price of fallback rules is not known"),
        (["select", "--base-url", "http://127.0.0.1"], "--base-url: this has no effect"),
        (["select", "--tape", "x"], "Add --model replay, or leave it out"),
        (["select", "--model", "replay", "--tape", "x", "--record", "y"], "--record: this has"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], says: str
) -> None:
    assert bench(tmp_path, *words) == 2
    assert says in capsys.readouterr().err


def test_nobody_pays_without_having_agreed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Flaky()
    with served(model) as url:
        assert bench(tmp_path, *EIGHT, "--base-url", url, yes=False) == 2
        assert "To agree in advance, use --yes" in capsys.readouterr().err
        monkeypatch.setattr(command.sys.stdin, "isatty", lambda: True, raising=False)
        monkeypatch.setattr("builtins.input", lambda question: "n")
        assert bench(tmp_path, *EIGHT, "--base-url", url, yes=False) == 0
    assert model.calls == 0
    shown = capsys.readouterr().out
    assert "about $0.0" in shown
    assert "Nothing was asked." in shown


@pytest.mark.parametrize(
    ("least", "prompts", "status"),
    [
        ("0", "base", 0),
        ("99.9", "base", 1),
        # the answers of the first version are what the others are compared with
        ("99.9%", "base,mine", 1),
    ],
)
def test_too_few_correct_answers_are_an_exit_status_for_a_ci_job(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], least: str, prompts: str, status: int
) -> None:
    words = ("select", "--limit", "4", "--prompts", prompts, "--fail-below", least)
    assert bench(tmp_path, *words) == status
    last = prompts.rpartition(",")[2]
    said = capsys.readouterr().err
    assert (f"{last}: " in said) is bool(status)
    assert ("base: " in said) is (status == 1 and last == "base")


@pytest.mark.parametrize("least", ["half", "101", "-1"])
def test_a_share_that_is_none_is_refused(
    least: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as failure:
        bench(tmp_path, "select", f"--fail-below={least}")
    assert failure.value.code == 2
    assert "--fail-below" in capsys.readouterr().err


def test_final_is_counted_and_never_asked_by_accident(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("select", "--model", "offline", "--limit", "3")
    assert bench(tmp_path, *words) == 0
    assert {answer.half for answer in the_log(tmp_path, *RULES).answers.values()} == {"work"}
    for _ in range(2):
        assert bench(tmp_path, *words, "--final") == 0
    assert set(the_log(tmp_path, *RULES).final_runs().values()) == {1}
    assert (tmp_path / "select-fallback-rules-final.txt").exists()

    capsys.readouterr()
    for name in ("one", "two"):
        with served(Flaky()) as url:
            live = ("select", "--final", "--limit", "3", "--model", "live", "--model-name", name)
            assert bench(tmp_path, *live, "--base-url", url) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "In this folder, the final half was run once with base" in shown
    assert "In this folder, the final half was run 2 times with base" in shown


def a_choice(*names: str) -> bytes:
    """A whole reply of a model that chooses these memories."""
    chosen = json.dumps({"selected_memories": names})
    message = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "qwen",
        "content": [{"type": "text", "text": chosen}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 5, "output_tokens": 5},
    }
    return json.dumps(message).encode()


def test_a_tape_that_was_recorded_again_is_what_a_replay_shows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("select", "--limit", "2")
    replay = (*words, "--model", "replay", "--tape", "a.jsonl")
    said = []
    for chosen in ([], ["nowhere.md"]):
        Path("a.jsonl").unlink(missing_ok=True)
        model = Flaky(lambda number, chosen=chosen: a_choice(*chosen))
        with served(model) as url:
            live = (*words, "--model", "live", "--model-name", "qwen", "--base-url", url)
            # the log of the same server has the answers already the second time
            assert bench(tmp_path / "out", *live) == 0
            assert bench(tmp_path / "out", *live, "--record", "a.jsonl") == 0
            assert model.calls == 4
            # what is on the tape is not asked again
            assert bench(tmp_path / "out", *live, "--record", "a.jsonl") == 0
            assert model.calls == 4
            assert "What is on a.jsonl already is not" in capsys.readouterr().out
        with monkeypatch.context() as patched:
            # nothing is paid, so nothing has to be rehearsed for an estimate
            patched.setattr("memlab.bench.estimate.ask_case", None)
            assert bench(tmp_path / "out", *replay) == 0
        replayed = the_log(tmp_path / "out", "select-qwen", "-replay-of-a").answers
        said.append({answer.by for answer in replayed.values()})
    assert said == [{"model"}, {"fallback"}]


def test_two_servers_with_the_same_model_are_both_asked(tmp_path: Path) -> None:
    words = ("select", "--model", "live", "--model-name", "qwen", "--limit", "2", "--base-url")
    one, two = Flaky(), Flaky()
    with served(one) as first, served(two) as second:
        assert bench(tmp_path, *words, first) == 0
        assert bench(tmp_path, *words, second) == 0
    assert one.calls == two.calls == 2


# The other tasks, whose cases take several calls


@pytest.mark.parametrize(
    ("task", "prompt", "limit", "asked"),
    [("extract", "memory", 2, 2), ("dream", "dream", 1, 1), ("follow", "agent", 2, 4)],
)
def test_every_task_survives_a_dead_endpoint_and_replays(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    task: str,
    prompt: str,
    limit: int,
    asked: int,
) -> None:
    mine = tmp_path / "mine" / f"{prompt}.md"
    mine.write_text(prompt_text(prompt) + "\nBe brief.")
    words = (task, "--prompts", "mine", "--limit", f"{limit}", "--jobs", "1")
    live = (*words, "--model", "live", "--record", "a.jsonl", "--base-url")
    model = Flaky(lambda number: 401 if number > 1 else "")
    with served(model) as url:
        assert bench(tmp_path, *live, url) == 4
        kept = the_log(tmp_path, f"{task}-claude-opus-5-5").answers.values()
        assert len(kept) <= 1
        assert not any(answer.error for answer in kept)
        model.fails = lambda number: ""
        assert bench(tmp_path, *live, url) == 0
    answers = the_log(tmp_path, f"{task}-claude-opus-5-5").answers
    assert len(answers) == asked
    assert {answer.by for answer in answers.values()} == {"model"}

    replay = (*words, "--model", "replay", "--tape", "a.jsonl")
    assert bench(tmp_path, *replay) == 0
    replayed = the_log(tmp_path, f"{task}-claude-opus-5-5", "-replay-of-a").answers
    shown = {key: (one.said, one.correct, one.score) for key, one in answers.items()}
    assert shown == {key: (one.said, one.correct, one.score) for key, one in replayed.items()}
    mine.write_text(prompt_text(prompt) + "\nBe polite.")
    capsys.readouterr()
    assert bench(tmp_path, *replay) == 5
    assert "+ Be polite." in capsys.readouterr().err


class Broke(Flaky):
    """A service whose account is empty after two answers."""

    def respond(self, path: str, headers: Mapping[str, str], raw: bytes) -> httpx2.Response:
        answer = super().respond(path, headers, raw)
        if not path.endswith("/v1/messages") or self.calls <= 2:
            return answer
        said = "Your credit balance is too low to access the API."
        return refused(400, "invalid_request_error", said)


@pytest.mark.parametrize("record", [(), ("--record", "a.jsonl")])
def test_an_empty_account_ends_a_run_and_nothing_of_it_is_kept(
    record: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("select", "--limit", "4", "--jobs", "1", "--model", "live", *record, "--base-url")
    model = Broke()
    with served(model) as url:
        assert bench(tmp_path, *words, url) == 4
    assert model.calls == 3
    assert "the account has no credit left" in capsys.readouterr().err
    assert len(the_log(tmp_path).answers) == 2
    with served(Flaky()) as url:
        assert bench(tmp_path, *words, url) == 0
        port = url.rpartition(":")[2]
        (log,) = tmp_path.glob(f"select-claude*{port}*jsonl")
    assert [answer.by for answer in read_log(log).answers.values()] == ["model"] * 4


def test_a_second_recording_on_a_full_tape_costs_nothing(tmp_path: Path) -> None:
    words = ("select", "--limit", "3", "--model", "live", "--record", "a.jsonl", "--base-url")
    model = Flaky()
    with served(model) as url:
        assert bench(tmp_path / "paid", *words, url) == 0
        asked = model.calls
        assert bench(tmp_path / "free", *words, url) == 0
    assert model.calls == asked
    paid, free = (list(the_log(tmp_path / name).answers.values()) for name in ("paid", "free"))
    assert all(answer.dollars for answer in paid)
    assert [answer.dollars for answer in free] == [0.0] * 3
    assert sorted(answer.tokens.input for answer in free) == sorted(
        answer.tokens.input for answer in paid
    )
