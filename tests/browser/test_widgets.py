"""Each widget's main action in a real browser, by mouse and keys.

Each widget is in a small notebook of its own, so that it does not depend on the course's. After a
click nothing else is sent to the kernel, because any other message could hide that a callback did
not wake it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from memlab.course.notebook_folder import SLUG
from memlab.dream.gates import GATES
from tests.browser import hands
from tests.browser.server import Lab, running_lab
from tests.browser.test_lab import write_notebook

CELLS = {
    "chat": [
        "from memlab.course import Conversation, begin, harness_for\n\nlab = begin(8)",
        "Conversation(lab, lambda **more: harness_for(lab, dreams=False, **more))",
    ],
    "dials": ["from memlab.course import dials", "dials()"],
    "review": [
        "from memlab.course import begin, review\n\nlab = begin(11)",
        "review(lab)",
    ],
    "figures": [
        "from memlab.course import bars",
        "bars('Holders', 'One bar.', [('naive', 36, '36')])",
    ],
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory, home: Path) -> Iterator[Lab]:
    root = tmp_path_factory.mktemp("widgets")
    (root / "my").mkdir()
    for name, cells in CELLS.items():
        write_notebook(root / "my" / f"{name}.ipynb", cells)
    with running_lab(root, home) as running:
        yield running


def show(page: Page, lab: Lab, name: str) -> Locator:
    hands.open_notebook(page, lab.url(f"{name}.ipynb"))
    hands.run_all(page)
    assert hands.seen_faults(page) == []
    return hands.widget_box(page)


def memories(home: Path, number: int) -> Mapping[str, bytes]:
    """What is on the disk, whatever the page says."""
    memory = f"memlab-*/{number:02d}/.memlab/projects/{SLUG}/memory/*.md"
    found = {path.name: path.read_bytes() for path in (home / "course").glob(memory)}
    assert found
    return found


def test_chat_type_and_see_the_new_file(page: Page, lab: Lab, home: Path, pictures: Path) -> None:
    box = show(page, lab, "chat")
    before, new = memories(home, 8), "take-my-coffee-black.md"
    expect(box).to_contain_text("Nothing was said yet")
    line = page.get_by_placeholder("Say something")
    for typed, shown in (
        ("Remember that I take my coffee black.", f"Saved to memory: {new}"),
        ("Do I take milk in my coffee?", "From memory: I take my coffee"),
        ("/undo", "Took back"),
    ):
        line.fill(typed)
        line.press("Enter")
        expect(box).to_contain_text(shown, timeout=hands.PATIENCE)
        expect(line).to_have_value("")
        assert (memories(home, 8).keys() - before.keys() == {new}) == (typed != "/undo")
    hands.look_at(page, pictures, "chat")
    assert hands.seen_faults(page) == []


def test_dials_turn_and_the_gates_answer(page: Page, lab: Lab, pictures: Path) -> None:
    box = show(page, lab, "dials")
    gates = box.get_by_role("listitem")
    expect(gates.filter(has_text="✓ open")).to_have_count(len(GATES))
    expect(box.get_by_role("status")).to_contain_text("All gates are open")
    hours = box.get_by_label("hours since the lock's time")
    hours.fill("12")
    hours.press("Enter")
    expect(gates.filter(has_text="✗ shut")).to_contain_text("time", timeout=hands.PATIENCE)
    expect(gates.filter(has_text="not asked")).to_have_count(len(GATES) - 2)
    hands.look_at(page, pictures, "dials")
    box.get_by_text("auto_dream").click()
    expect(gates.first).to_contain_text("auto_dream is off", timeout=hands.PATIENCE)
    assert hands.seen_faults(page) == []


def test_a_dream_is_stopped_then_reviewed_applied_and_undone(
    page: Page, lab: Lab, home: Path, pictures: Path
) -> None:
    box = show(page, lab, "review")
    before = memories(home, 11)
    hands.press(page, "Dream")
    expect(box).to_contain_text("● starting", timeout=hands.PATIENCE)
    hands.press(page, "Stop")
    expect(box).to_contain_text("The dream was stopped", timeout=hands.PATIENCE)
    assert memories(home, 11) == before

    hands.press(page, "Dream")
    apply = hands.button(page, "Apply the ticked changes")
    expect(apply).to_be_visible(timeout=hands.PATIENCE)
    assert memories(home, 11) == before
    ticks = box.locator(".widget-checkbox")
    expect(box.locator("pre .bad").first).to_be_visible()
    offered = [text.split()[0] for text in ticks.all_inner_texts()]
    assert len(offered) >= 2
    hands.look_at(page, pictures, "review", box.locator("[role=status]"))
    rejected = next(file for file in offered if file != "MEMORY.md")
    ticks.nth(offered.index(rejected)).locator("input").uncheck()
    apply.click()
    expect(box.get_by_text("✓ done").first).to_be_visible(timeout=hands.PATIENCE)
    expect(box).to_contain_text("you rejected it")
    after = memories(home, 11)
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    assert rejected not in changed
    assert changed & set(offered)

    hands.press(page, "Undo")
    expect(box).to_contain_text("Took back", timeout=hands.PATIENCE)
    assert memories(home, 11) == before
    assert hands.seen_faults(page) == []


def test_figures_are_pictures(page: Page, lab: Lab, pictures: Path) -> None:
    hands.open_notebook(page, lab.url("figures.ipynb"))
    hands.run_all(page)
    drawn = page.locator(".jp-RenderedSVG img")
    expect(drawn).to_have_count(1)
    hands.look_at(page, pictures, "figures", drawn.last)
    assert hands.seen_faults(page) == []
