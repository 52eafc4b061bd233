"""Where each sentence came from: stamps in the journal, support, and what a rewrite keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memlab.clock import CourseClock
from memlab.memdir.origin import Origin, Piece, pieces
from memlab.memdir.store import MemoryStore, confirm, why
from memlab.memdir.support import (
    Source,
    Support,
    Verdict,
    conversation_sources,
    keep_lost,
    names_of_person,
    names_source,
    tool_origin,
)

NOW = datetime(2026, 4, 1, 9, tzinfo=UTC)
PAGE = "Bakers love it when the list is published without waiting."


def text(body: str, *, name: str = "Notes", about: str = "when reading notes") -> str:
    return f"---\nname: {name}\ndescription: {about}\ntype: user\n---\n\n{body}\n"


def talk(*lines: str) -> list[dict[str, Any]]:
    """``p:`` the person, ``a:`` the assistant, and a tool's name with what it returned."""
    messages: list[dict[str, Any]] = []
    for number, line in enumerate(lines):
        who, _, said = line.partition(": ")
        if who in "pa":
            role = "user" if who == "p" else "assistant"
            messages.append({"role": role, "content": said})
            continue
        path, _, said = said.partition(" | ") if who == "Read" else ("", "", said)
        call = {"type": "tool_use", "id": f"t{number}", "name": who, "input": {"file_path": path}}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": said}
        messages.append({"role": "assistant", "content": [call]})
        messages.append({"role": "user", "content": [result]})
    return messages


@pytest.fixture
def store(tmp_path: Path) -> MemoryStore:
    clock = CourseClock(NOW)
    return MemoryStore(tmp_path / "memory", clock=clock, checks=lambda memory, **others: ())


def origins(store: MemoryStore, file: str) -> dict[str, str]:
    return {line.text: line.stamp.origin.label for line in store.why(file)}


def test_unknown_ranks_between_a_project_file_and_what_comes_from_outside() -> None:
    assert sorted(Origin, reverse=True) == [
        Origin.PERSON,
        Origin.ASSISTANT,
        Origin.PROJECT_FILE,
        Origin.UNKNOWN,
        Origin.TOOL_RESULT,
        Origin.OUTSIDE,
    ]


@pytest.mark.parametrize(
    ("name", "path", "origin"),
    [
        ("Read", "README.md", Origin.PROJECT_FILE),
        ("Read", "node_modules/x/README.md", Origin.OUTSIDE),
        ("Read", "/home/r/.memlab/projects/p/memory/a.md", None),
        ("Bash", "", Origin.TOOL_RESULT),
        ("Grep", "", Origin.TOOL_RESULT),
        ("WebFetch", "", Origin.OUTSIDE),
        ("mcp__issues__read", "", Origin.OUTSIDE),
        ("Write", "notes.md", None),
    ],
)
def test_whose_words_a_tool_returns(name: str, path: str, origin: Origin | None) -> None:
    assert tool_origin(name, {"file_path": path}) is origin


def test_a_conversation_gives_each_text_its_origin() -> None:
    found = conversation_sources(
        talk(
            'p: I want tea at nine. Anna wrote: "coffee is much better for everybody"',
            "WebFetch: Always drink milk.",
            "a: Shall I order green tea every week?",
            "p: Yes.",
        )
    )
    by_text = {one.text: one.origin for one in found}
    assert by_text["Always drink milk."] is Origin.OUTSIDE
    assert by_text["Shall I order green tea every week?"] is Origin.ASSISTANT
    persons = [said for said, origin in by_text.items() if origin is Origin.PERSON]
    assert "I want tea at nine." in persons[0]
    assert "coffee" not in " ".join(persons)
    assert any("coffee" in said and by_text[said] is Origin.OUTSIDE for said in by_text)


SOURCES = (
    Source("I want a backup of the recordings every night.", Origin.PERSON),
    Source("We keep the ledgers for 10 years.", Origin.PERSON, file="ledgers.md"),
    Source("The ledgers can be deleted after 2 years.", Origin.PROJECT_FILE),
    Source(PAGE, Origin.OUTSIDE, file="page.md", change="change-0002"),
    Source("The user indents with tabs.", Origin.UNKNOWN, file="tabs.md"),
    Source("Deploys run at night.", Origin.UNKNOWN, file="deploys.md"),
)


@pytest.mark.behaviour("A10")
@pytest.mark.parametrize(
    ("sentence", "verdict", "origin"),
    [
        ("The user wants a backup of the recordings every night.", "supported", "person"),
        ("Robot arms need oil.", "unsupported", "outside"),
        ("The user loves it when the list is published without waiting.", "rise", "outside"),
        ("The page says bakers love it when the list is published.", "names", "outside"),
        ("It is said that bakers love it when the list is published.", "rise", "outside"),
        ("The user keeps the ledgers for 2 years.", "rise", "project file"),
        ("The user keeps the ledgers for 10 years.", "supported", "person"),
        ("The user does not keep the ledgers for 10 years.", "rise", "project file"),
        ("The user indents with tabs since 2026-03-01.", "supported", "unknown"),
        ("The user wants deploys to run at night.", "rise", "unknown"),
    ],
)
def test_a_new_sentence_is_supported_at_the_level_of_its_sources(
    sentence: str, verdict: str, origin: str
) -> None:
    found = Support(SOURCES).judge(Piece(sentence), ["page.md"])
    assert found.verdict.value.startswith(verdict), found
    assert found.stamp.origin.label == origin


@pytest.mark.parametrize(
    ("sentence", "verdict"),
    [
        ("Robin says that bakers love it when the list is published.", "rise"),
        ("The person says that bakers love it when the list is published.", "rise"),
        ("In the person's words: Bakers love it when the list is published.", "rise"),
        ("Robin wants deploys to run at night.", "rise"),
        ("Anna says that bakers love it when the list is published.", "names"),
        ("Robin wants a backup of the recordings every night.", "supported"),
    ],
)
@pytest.mark.parametrize(
    "source",
    [
        Source("My name is Robin, by the way.", Origin.PERSON),
        Source("The user's name is Robin.", Origin.PERSON, file="me.md"),
        Source("Robin wants short answers.", Origin.UNKNOWN, file="a.md", about_person=True),
    ],
    ids=["said", "noted", "subject"],
)
def test_the_name_of_the_person_is_the_person(source: Source, sentence: str, verdict: str) -> None:
    found = Support([*SOURCES, source]).judge(Piece(sentence), ["page.md"])
    assert found.verdict.value.startswith(verdict), found


def test_the_name_comes_from_memories_about_the_person_and_no_stranger_gives_one(
    store: MemoryStore,
) -> None:
    for file, body in (("a.md", "Robin wants tea."), ("b.md", "Robin prefers tabs to spaces.")):
        store.write_text(file, text(body), who="user")
    page = "My name is Kim. Kim wants tabs. Kim prefers gin. Kim likes tea."
    store.write_text("c.md", text("Anna wants gin."), who="user")
    known = store.support(conversation_sources(talk(f"WebFetch: {page}"))).sources
    assert names_of_person(known) == {"Robin"}
    assert names_of_person([replace(one, about_person=False) for one in known]) == frozenset()


@pytest.mark.parametrize("frame", ["In the person's words: {}", "Kim says: “{}”"])
def test_a_frame_is_no_source(frame: str) -> None:
    gate = Source(frame.format("The gate is blue."), Origin.PERSON, "gate.md", change="change-0001")
    tea = Source("Tea is served at nine.", Origin.PERSON, "tea.md", change="change-0002")
    found = Support([gate, tea]).judge(Piece(frame.format("Tea is served at nine.")))
    assert found.stamp.sources == ("change-0002",)


def test_support_alone_lets_the_stranger_speak_for_the_person() -> None:
    piece = Piece("The user loves it when the list is published without waiting.")
    assert Support(SOURCES, by_origin=False).judge(piece).verdict is Verdict.SUPPORTED


def test_what_a_model_infers_is_kept_and_labelled_unless_a_stranger_had_a_say() -> None:
    support = Support(SOURCES)
    piece = Piece("Short days leave less time.", inferable=True)
    found = support.judge(piece, ["tabs.md"])
    assert found.verdict is Verdict.INFERRED
    assert found.stamp.inferred
    assert support.judge(piece, ["page.md"]).verdict is Verdict.UNSUPPORTED


@pytest.mark.parametrize(
    ("sentence", "named"),
    [
        ("According to Crumbly, lists are public.", True),
        ("nightsave says that backups are pruned.", True),
        ("Laut Crumbly ist die Liste öffentlich.", True),
        ("It is said that lists are public.", False),
        ("The user says that lists are public.", False),
        ("Lists are public.", False),
    ],
)
def test_a_source_has_to_be_somebody(sentence: str, named: bool) -> None:
    assert names_source(sentence) is named


def test_a_quotation_stays_with_the_words_that_say_whose_it_is() -> None:
    found = pieces("a.md", text('Anna wrote: "Sell all. Ask nobody." So what?').encode())
    assert [one.text for one in found if not one.label] == [
        'Anna wrote: "Sell all. Ask nobody."',
        "So what?",
    ]


class TestStamps:
    @pytest.mark.behaviour("A10")
    def test_a_hand_edit_is_unknown_until_the_person_confirms_it_once(
        self, store: MemoryStore
    ) -> None:
        store.write_text("a.md", text("I drink tea."), who="user")
        path = store.directory / "a.md"
        path.write_text(text("I drink tea. I drink milk."))
        assert origins(store, "a.md")["I drink tea."] == "person"
        assert origins(store, "a.md")["I drink milk."] == "unknown"
        assert "/memory confirm a.md" in why(store, "a.md")
        assert confirm(store, "a.md").startswith("Confirmed a.md")
        assert origins(store, "a.md")["I drink milk."] == "person"
        assert "Nothing was changed" in confirm(store, "a.md")
        path.write_text(text("I drink tea. I drink milk. I drink gin."))
        assert origins(store, "a.md")["I drink gin."] == "unknown"
        store.undo()
        assert origins(store, "a.md")["I drink milk."] == "unknown"
        assert "gin" in path.read_text()

    @pytest.mark.behaviour("A10", "A11")
    def test_a_merge_has_the_least_trusted_origin_and_why_goes_back_through_it(
        self, store: MemoryStore
    ) -> None:
        page = Support([*conversation_sources(talk(f"WebFetch: {PAGE}"))])
        store.write_text("page.md", text(f"The page says: {PAGE}"), who="extractor", witness=page)
        said = Support([*conversation_sources(talk("p: I want tea at nine."), ["m1"])])
        store.write_text(
            "tea.md", text("The user wants tea at nine."), who="extractor", witness=said
        )
        merged = text(f"The user wants tea at nine.\n\nThe page says: {PAGE}").encode()
        store.replace_many({"tea.md": merged, "page.md": None}, who="dream")
        again = merged.replace(b"The page says: Bakers", b"A page says that bakers")
        store.replace_many({"tea.md": again}, who="dream")
        lines = {line.text: line for line in store.why("tea.md")}
        tea = lines["The user wants tea at nine."]
        assert (tea.stamp.origin, tea.stamp.message) == (Origin.PERSON, "m1")
        assert [entry.who for entry in tea.changes] == ["extractor"]
        bakers = next(line for said, line in lines.items() if "bakers" in said)
        assert bakers.stamp.origin is Origin.OUTSIDE
        assert [entry.id for entry in bakers.changes] == [
            "change-0004",
            "change-0003",
            "change-0001",
        ]

    def test_the_title_that_a_dream_invents_comes_from_the_files_it_was_made_of(
        self, store: MemoryStore
    ) -> None:
        page = Support([*conversation_sources(talk(f"WebFetch: {PAGE}"))])
        store.write_text("page.md", text(f"The page says: {PAGE}"), who="extractor", witness=page)
        store.write_text("tea.md", text("I drink tea at nine."), who="user")
        store.write_text("cup.md", text("The blue cup is mine."), who="user")
        read = store.support(conversation_sources(talk(f"WebFetch: {PAGE}")))
        merged = text("I drink tea at nine. The blue cup is mine.", name="Breakfast with a cup")
        files = {"tea.md": merged.encode(), "cup.md": None, "page.md": None}
        store.replace_many(files, who="dream", witness=read)
        title = store.why("tea.md")[0]
        assert (title.text, title.stamp.origin) == ("Breakfast with a cup", Origin.PERSON)
        assert [entry.id for entry in title.changes] == ["change-0004", "change-0003"]

    def test_what_a_model_inferred_is_called_inferred(self, store: MemoryStore) -> None:
        why_not = "I drink tea at nine.\n\n**Why:** Short days leave less time."
        said = Support([*conversation_sources(talk("p: I drink tea at nine."))])
        store.write_text("tea.md", text(why_not), who="extractor", witness=said)
        lines = why(store, "tea.md").splitlines()
        assert (
            "origin: assistant, inferred" in lines[lines.index("Short days leave less time.") + 1]
        )
        assert "inferred" not in lines[lines.index("I drink tea at nine.") + 1]

    def test_the_journal_has_hashes_and_forgetting_for_good_erases_them(
        self, store: MemoryStore
    ) -> None:
        store.write_text("door.md", text("The gate code is kept by Maren."), who="user")
        store.write_text("tea.md", text("I drink tea."), who="user")
        journal = store.directory / ".memlab" / "journal.jsonl"
        key = Piece("The gate code is kept by Maren.").key
        assert key in journal.read_text()
        assert "Maren" not in journal.read_text()
        store.forget_for_good("door.md", confirmed=True)
        assert key not in journal.read_text()
        assert origins(store, "tea.md")["I drink tea."] == "person"
        reopened = MemoryStore(store.directory)
        assert all("door.md" not in entry.origins for entry in reopened.history())

    def test_a_model_without_a_witness_does_not_write_as_the_person(
        self, store: MemoryStore
    ) -> None:
        store.write_text("a.md", text("I drink gin."), who="main agent")
        assert origins(store, "a.md")["I drink gin."] == "assistant"


class TestWhatARewriteKeeps:
    OLD = "The user indents with tabs. Maren keeps the keys of the harbour office."

    @pytest.mark.parametrize(
        ("said", "new", "lost", "replaced"),
        [
            (
                "I indent with spaces now, no tabs.",
                "The user indents with spaces.",
                ["Maren keeps the keys of the harbour office."],
                ["The user indents with tabs."],
            ),
            (
                "Can you always run the tests in this loop?",
                "Always run the tests in the loop.",
                [
                    "The user indents with tabs.",
                    "Maren keeps the keys of the harbour office.",
                ],
                [],
            ),
            ("Hello.", f"{OLD} The user likes tea.", [], []),
        ],
    )
    def test_only_what_the_person_answered_is_replaced(
        self, said: str, new: str, lost: Sequence[str], replaced: Sequence[str]
    ) -> None:
        witness = Support([*conversation_sources(talk(f"p: {said}"))])
        kept = keep_lost("a.md", text(self.OLD).encode(), text(new).encode(), (), witness)
        assert (list(kept.lost), list(kept.replaced)) == (lost, replaced)
        assert all(sentence in kept.data.decode() for sentence in lost)
        assert new in kept.data.decode()

    @pytest.mark.parametrize(
        ("said", "taken_back"),
        [
            (["I keep the ledgers for 10 years."], False),  # that is where the memory came from
            (["I keep the ledgers for 10 years.", "The ledgers can go after 2 years."], True),
            (["I keep the ledgers for 2 years and no longer for 10."], True),
            (["I keep bees."], False),
        ],
    )
    def test_the_newest_words_about_a_matter_count(
        self, said: Sequence[str], taken_back: bool
    ) -> None:
        old = "The user keeps the ledgers for 10 years."
        support = Support([*conversation_sources(talk(*(f"p: {one}" for one in said)))])
        assert support.taken_back([old]) == ({old} if taken_back else set())
        assert support.answered([old], []) == set()  # a dream has to say the new thing

    def test_the_model_reads_what_was_kept_and_it_can_be_undone(self, store: MemoryStore) -> None:
        store.write_text("a.md", text(self.OLD), who="user")
        witness = store.support(conversation_sources(talk("p: Run the tests.")))
        done = store.write_text("a.md", text("Run the tests."), who="main agent", witness=witness)
        notes: Mapping[str, str] = {one.rule: one.message for one in done.findings}
        assert "Maren keeps the keys" in notes["kept"]
        assert "Maren keeps the keys" in store.read("a.md").body
        store.undo()
        assert store.read("a.md").body.strip() == self.OLD
