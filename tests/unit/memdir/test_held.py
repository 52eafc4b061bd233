"""What is held back for the person: kept whole, judged by every check, and erased for good."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from memlab.clock import CourseClock
from memlab.errors import MemoryRefusedError, StoreError
from memlab.memdir.held import HeldSentence
from memlab.memdir.origin import Origin
from memlab.memdir.store import MemoryStore, erase
from memlab.memdir.support import Source, Support

NOW = datetime(2026, 4, 1, 9, tzinfo=UTC)
WINTER = "The winter store opens at noon."
STRANGER = Support([Source(WINTER, Origin.OUTSIDE)])


def project(body: str) -> str:
    return (
        "---\nname: Planning trips\ndescription: when a trip is planned\n"
        f"type: project\n---\n\n{body}\n\n**Why:** Robin asked for it.\n\n"
        "**How to apply:** Plan every trip around it.\n"
    )


@pytest.fixture
def store(tmp_path: Path) -> MemoryStore:
    return MemoryStore(tmp_path / "memory", clock=CourseClock(NOW))


def waiting(store: MemoryStore, *held: HeldSentence) -> None:
    store.replace_many({}, hold=held, who="dream")


def test_forgetting_for_good_erases_what_is_held_back_of_a_memory_and_what_repeats_it(
    store: MemoryStore,
) -> None:
    secret = "The gate code is kept by Maren."
    store.write_text("gate.md", project(secret), who="user")
    other = HeldSentence("tea.md", "Tea is served at nine.", "unsupported")
    waiting(
        store,
        HeldSentence("gate.md", "It opens with a blue key.", "unsupported"),
        HeldSentence("tea.md", f"Robin says: {secret}", "unsupported"),
        HeldSentence("new.md", "Keys", "unsupported", content=project(secret)),
        other,
    )
    said = erase(store, "gate.md")
    assert "3 sentences that were held back for you went with it." in said
    assert [one.text for one in store.held()] == [other.text]
    files = [path for path in store.directory.rglob("*") if path.is_file()]
    for words in (b"Maren", b"blue key"):
        assert not [path for path in files if words in path.read_bytes()]


def test_a_memory_that_was_only_ever_held_back_can_be_erased(store: MemoryStore) -> None:
    text = project("The boat is blue and leaks.")
    waiting(store, HeldSentence("boat.md", "Boat", "unsupported", content=text))
    assert "1 sentence that was held back for you went with it." in erase(store, "boat.md")
    assert store.held() == []


def test_nothing_that_is_held_back_is_lost(store: MemoryStore) -> None:
    many = [HeldSentence("tea.md", f"Tea is served at {n}.", "unsupported") for n in range(300)]
    waiting(store, *many)
    waiting(store, many[0], HeldSentence("tea.md", "And gin.", "unsupported"))
    assert [one.text for one in store.held()] == [*(one.text for one in many), "And gin."]
    path = store.directory / ".memlab" / "pending" / "sentences.json"
    path.write_text("[{]")
    with pytest.raises(StoreError, match="Correct it, or delete it"):
        waiting(store, many[0])
    assert path.read_text() == "[{]"


def test_accepting_a_sentence_that_is_refused_leaves_it_waiting(store: MemoryStore) -> None:
    text = project("It opens tomorrow.")
    waiting(store, HeldSentence("store.md", "Store", "unsupported", content=text))
    with pytest.raises(MemoryRefusedError):
        store.accept_held(store.held()[0], who="user")
    assert [one.text for one in store.held()] == ["Store"]


@pytest.mark.parametrize(
    ("body", "refusal", "held"),
    [
        ("It opens at noon.", "with /review: rise in authority", ["It opens at noon."]),
        ("It opens at noon, tomorrow.", "tomorrow", []),
    ],
    ids=["fit", "unfit"],
)
def test_the_whole_text_is_judged_before_any_of_it_is_held_back(
    store: MemoryStore, body: str, refusal: str, held: list[str]
) -> None:
    with pytest.raises(MemoryRefusedError, match=refusal):
        store.write_text("winter.md", project(body), who="extractor", witness=STRANGER)
    assert [one.text for one in store.held()] == held
    for one in store.held():
        store.accept_held(one, who="user")
        assert body in store.read("winter.md").body
