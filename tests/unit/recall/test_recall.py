"""One recall from end to end, and its report: every memory is told, with its reason."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memlab.clock import CourseClock
from memlab.events import MemoriesRecalled
from memlab.models import OfflineModel
from memlab.models.connect import make_runtime
from memlab.models.offline import Latency
from memlab.models.wire import Reply, say
from memlab.prompts.blocks import read_blocks
from memlab.recall import Prefetch, Recalled, RecallReport, Surfaced, recall
from memlab.settings import Settings
from tests.unit.recall.helpers import choosing, put, run, write

QUERY = "Where do the tide times come from?"


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    folder = tmp_path / "memory"
    write(folder, "tides.md", "the feed the tide times come from", "From Gullwing.\n", days=2)
    write(folder, "tabs.md", "indentation is by tabs", days=3)
    write(folder, "radio.md", "where the beach answers", days=4)
    write(folder, "tide-table-usage.md", "mcp__tide__table: usage", days=5, kind="reference")
    for number in range(4):
        write(folder, f"other-{number}.md", f"something else {number}", days=9)
    return folder


class Session:
    """A session's clock, log and surfaced set around one directory."""

    def __init__(
        self, directory: Path, client: Any = None, *, slow: float = 0.4, **settings: Any
    ) -> None:
        self.directory, self.clock = directory, CourseClock()
        self.model = OfflineModel(clock=self.clock, latency={"select": Latency(slow, 0)})
        self.surfaced = Surfaced()
        self.settings = Settings().with_changes(**settings)
        runtime = make_runtime("offline", model=self.model, settings=self.settings)
        self.runtime = runtime.with_changes(client=client)
        self.events = runtime.events

    async def recall(self, query: str = QUERY, **more: Any) -> RecallReport:
        return await recall(
            query,
            self.directory,
            self.runtime,
            surfaced=self.surfaced,
            show=lambda path: f"~/{path.name}",
            **more,
        )


def outcomes(report: RecallReport) -> dict[str, str]:
    return {
        name: what if what == "attached" else why.partition(":")[0]
        for name, what, why, _ in report.rows()
    }


class TestTheChain:
    @pytest.mark.behaviour("F1")
    def test_what_is_chosen_is_attached(self, memory: Path) -> None:
        session = Session(memory)
        report: RecallReport = run(session.recall())
        assert report.selection.by == "model"
        assert [each.filename for each in report.attachments] == ["tides.md"]
        assert "From Gullwing." in report.texts[0]
        assert "~/tides.md" in report.texts[0]
        assert [*session.surfaced.files] == ["tides.md"]

    def test_what_surfaced_is_not_offered_again_until_compaction(self, memory: Path) -> None:
        session = Session(memory)
        run(session.recall())
        again: RecallReport = run(session.recall())
        assert outcomes(again)["tides.md"] == "surfaced"
        first, second = (one.body for one in session.model.requests)
        assert second["system"] == first["system"]
        assert "tides.md" in again.selection.manifest
        shown = read_blocks(second["messages"][0]["content"])["already_shown"]
        assert shown[0].body == "tides.md"
        assert [each.filename for each in again.attachments] == ["tide-table-usage.md"]
        session.surfaced.start_over()
        assert outcomes(run(session.recall()))["tides.md"] == "attached"

    @pytest.mark.behaviour("F1")
    def test_what_a_model_chooses_again_is_dropped(self, memory: Path) -> None:
        session = Session(memory)
        run(session.recall())
        chosen = json.dumps({"selected_memories": ["tides.md"]})
        session.model.roles["select"] = lambda request: Reply([say(chosen)])
        again: RecallReport = run(session.recall())
        assert again.selection.by == "model"
        assert (outcomes(again)["tides.md"], again.attachments) == ("surfaced", ())

    def test_when_all_has_surfaced_nobody_is_asked(self, memory: Path) -> None:
        session = Session(memory)
        session.surfaced.files = {path.name: 1 for path in memory.iterdir()}
        report: RecallReport = run(session.recall())
        assert report.selection.by == "empty"
        assert session.model.requests == []
        assert {*outcomes(report).values()} == {"surfaced"}

    @pytest.mark.behaviour("A12")
    def test_what_is_stale_is_not_recalled(self, memory: Path) -> None:
        header = "---\nname: tow\nstale_after: 2026-{}\n---\nThe tow rope is red.\n"
        put(memory, "tow.md", header.format("03-30").encode())
        put(memory, "rope.md", header.format("03-31").encode())
        report: RecallReport = run(Session(memory, choosing("rope.md")).recall())
        assert [each.filename for each in report.attachments] == ["rope.md"]
        (left_out,) = [each for each in report.left_out if each.filename == "tow.md"]
        assert (left_out.reason, left_out.detail) == ("hidden", "stale after 2026-03-30")

    def test_an_empty_or_missing_directory_asks_nobody(self, tmp_path: Path) -> None:
        for folder in (tmp_path, tmp_path / "none"):
            session = Session(folder)
            report: RecallReport = run(session.recall())
            assert (report.selection.by, report.rows()) == ("empty", [])
            assert session.model.requests == []

    def test_switched_off_it_looks_at_nothing(self, memory: Path) -> None:
        session = Session(memory)
        report: RecallReport = run(session.recall(enabled=False))
        assert (report.selection.by, report.texts, report.rows()) == ("off", (), [])
        assert session.model.requests == []
        assert len(session.events) == 0
        assert run(session.recall()).texts != ()

    def test_a_failure_attaches_what_words_find(self, memory: Path) -> None:
        session = Session(memory)
        session.model.faults.add("overloaded", purpose="select")
        report: RecallReport = run(session.recall(recent_tools=["mcp__tide__table"]))
        assert [each.filename for each in report.attachments] == ["tides.md"]
        assert report.as_dict()["error"] == "OverloadedError 529"


class TestTheReport:
    @pytest.mark.behaviour("F9")
    def test_every_reason_is_told(self, memory: Path) -> None:
        put(memory, "broken.md", b"no frontmatter", days=1)
        put(memory, "large.md", b"---\nname: l\n---\n" + b"w" * 4_000, days=1)
        names = ["large.md", "tides.md", *(f"other-{n}.md" for n in range(4)), "ghost.md"]
        session = Session(memory, choosing(*names), scan_max_files=10, surface_session_bytes=3_000)
        write(memory, "old.md", "older than the newest ten", days=99)
        session.surfaced.files["radio.md"] = 10
        report: RecallReport = run(session.recall(recent_tools=["mcp__tide__table"]))
        assert outcomes(report) == {
            "tides.md": "attached",
            "other-0.md": "attached",
            "other-1.md": "attached",
            "other-2.md": "attached",
            "large.md": "budget",
            "radio.md": "surfaced",
            "tide-table-usage.md": "tool documentation",
            "other-3.md": "cap",
            "ghost.md": "not in the manifest",
            "broken.md": "unreadable",
            "(1 older)": "age",
            "tabs.md": "not chosen",
        }

    def test_a_file_that_vanished_meanwhile_is_told(self, memory: Path) -> None:
        session = Session(memory)

        def vanish(event: Any) -> None:
            if event.name == "select":
                (memory / "tides.md").unlink()

        session.events.subscribe(vanish)
        report: RecallReport = run(session.recall())
        assert outcomes(report)["tides.md"] == "unreadable"

    def test_what_words_would_have_chosen_stands_beside_it(self, memory: Path) -> None:
        session = Session(memory, choosing("tabs.md"))
        report: RecallReport = run(session.recall())
        places = {name: place for name, _, _, place in report.rows() if place}
        assert places == {"tides.md": "1", "tide-table-usage.md": "2"}
        assert report.as_dict()["fallback"] == ["tides.md", "tide-table-usage.md"]

    def test_it_survives_json(self, memory: Path) -> None:
        session = Session(memory)
        report: RecallReport = run(session.recall())
        told = report.as_dict()
        assert json.loads(json.dumps(told)) == told
        assert told["query"] == QUERY
        assert told["chosen"] == ["tides.md"]
        assert len(told["manifest"]) == 8
        assert told["manifest_tokens"] > 0
        assert told["seconds"] == 0.4
        assert told["attachments"][0]["text"] == report.texts[0]

    def test_a_cut_is_seen_in_its_row(self, memory: Path) -> None:
        session = Session(memory, surface_max_lines=3)
        report: RecallReport = run(session.recall())
        assert report.rows()[0][2].endswith(" bytes, cut")
        assert not run(Session(memory).recall()).rows()[0][2].endswith("cut")

    def test_the_log_tells_it_in_one_line(self, memory: Path) -> None:
        session = Session(memory, choosing("tides.md", "ghost.md"))
        run(session.recall())
        [event] = session.events.of(MemoriesRecalled)
        assert event.by == "model"
        assert list(event.attached) == ["tides.md"]
        assert event.left_out == {"not in the manifest": ["ghost.md"], "not chosen": 7}
        assert len(str(event).splitlines()) == 1


class TestPrefetched:
    """The chain beside the main call: the report is completed with when it came."""

    @pytest.mark.parametrize(("slow", "when"), [(0.4, "in time"), (3.0, "late")])
    def test_the_report_knows_when_it_came(self, memory: Path, slow: float, when: str) -> None:
        session = Session(memory, slow=slow)
        reports: list[RecallReport] = []

        async def recalled(query: str, tools: Sequence[str]) -> Sequence[str]:
            reports.append(await session.recall(query, recent_tools=tools))
            return reports[-1].texts

        prefetch = Prefetch(recalled, session.runtime)

        async def turn() -> tuple[Recalled, ...]:
            prefetch.start(QUERY)
            found = await prefetch.wait()
            await session.clock.sleep(9)
            return found + prefetch.start("How are you?")

        (recalled_once,) = run(stopped(turn(), prefetch))
        report = replace(reports[0], when=recalled_once.when)
        assert (report.when, report.as_dict()["when"]) == (when, when)
        assert recalled_once.texts == report.texts


async def stopped(work: Any, prefetch: Prefetch) -> Any:
    result = await work
    prefetch.cancel()
    return result
