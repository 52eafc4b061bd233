"""The widgets to talk, turn and dream with, used in a real browser by mouse and keys.

Each stands in a small notebook of its own, so that it does not depend on the course's. Left out:
what the widgets say, word by word, which ``tests/unit/course/widgets`` has.
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
    "chat": ["from memlab.course import begin, chat\n\nlab = begin(8)", "chat(lab)"],
    "time-machine": [
        "from memlab.course.widgets.time_machine import time_machine",
        "time_machine()",
    ],
    "dream": [
        "from memlab.course import begin\n"
        "from memlab.course.widgets.dream import dream_widget\n"
        "from memlab.dream.dream import DreamTask\n\n"
        "lab = begin(10)",
        "dream_widget(lab, DreamTask(), pace=0.05)",
    ],
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory, home: Path) -> Iterator[Lab]:
    folder = tmp_path_factory.mktemp("widgets")
    for name, cells in CELLS.items():
        write_notebook(folder / f"{name}.ipynb", cells)
    with running_lab(folder, home) as running:
        yield running


def show(page: Page, lab: Lab, name: str) -> None:
    hands.open_notebook(page, lab.url(f"{name}.ipynb"))
    hands.run_all(page)
    assert hands.seen_faults(page) == []


def memories(home: Path, number: int) -> Mapping[str, bytes]:
    """What is on the disk, whatever the page says."""
    memory = home / "course" / f"{number:02d}" / ".memlab" / "projects" / SLUG / "memory"
    found = {path.name: path.read_bytes() for path in memory.glob("*.md")}
    assert found
    return found


def test_chat_type_send_and_see_the_new_file(
    page: Page, lab: Lab, home: Path, pictures: Path
) -> None:
    show(page, lab, "chat")
    before, new = memories(home, 8), "take-my-coffee-black.md"
    box = hands.widget_box(page)
    expect(box).to_contain_text("Nothing was said yet")
    expect(box).not_to_contain_text(new)
    line = page.get_by_placeholder("Say something")
    line.fill("Remember that I take my coffee black.")
    hands.press(page, "Send")
    expect(box).to_contain_text(f"Saved to memory: {new}", timeout=hands.PATIENCE)
    card = box.locator("details", has_text=new).first
    card.locator("summary").click()
    expect(card).to_contain_text('The person says: "I take my coffee black."')
    expect(box.locator(".files code", has_text=new)).to_be_visible()
    expect(line).to_have_value("")
    assert memories(home, 8).keys() - before.keys() == {new}
    line.fill("Do I take milk in my coffee?")
    line.press("Enter")
    expect(box).to_contain_text("From memory: The person says", timeout=hands.PATIENCE)
    expect(hands.button(page, "Send")).to_be_enabled(timeout=hands.PATIENCE)
    page.screenshot(path=pictures / "chat.png")
    hands.press(page, "/undo")
    expect(box.locator(".files code", has_text=new)).to_have_count(0, timeout=hands.PATIENCE)
    assert memories(home, 8) == before
    page.screenshot(path=pictures / "chat-undone.png")
    assert hands.seen_faults(page) == []


def states(box: Locator) -> dict[str, str]:
    return {name: state for _, name, state, *_ in hands.rows(box)}


def row(box: Locator, name: str) -> Locator:
    return box.locator("tr", has_text=name)


def test_time_machine_turns_and_the_gates_answer(page: Page, lab: Lab, pictures: Path) -> None:
    show(page, lab, "time-machine")
    box = hands.widget_box(page)
    assert states(box) == {gate.name: "open" for gate in GATES}
    page.screenshot(path=pictures / "time-machine.png")
    hands.drag_slider(page, "hours since the lock's time", to=0.5)
    expect(row(box, "time")).to_contain_text("shut", timeout=hands.PATIENCE)
    not_asked = {gate.name: "not asked" for gate in GATES}
    assert states(box) == not_asked | {"toggles": "open", "time": "shut"}
    page.screenshot(path=pictures / "time-machine-too-early.png")
    box.get_by_text("auto_dream", exact=True).click()
    expect(row(box, "toggles")).to_contain_text("shut", timeout=hands.PATIENCE)
    expect(row(box, "toggles")).to_contain_text("auto_dream is off")
    assert hands.seen_faults(page) == []


def test_dream_stop_reject_accept_and_undo(
    page: Page, lab: Lab, home: Path, pictures: Path
) -> None:
    show(page, lab, "dream")
    before, box = memories(home, 10), hands.widget_box(page)
    expect(box).to_contain_text("awake")

    hands.press(page, "dream")
    expect(box).to_contain_text("[dreaming] starting", timeout=hands.PATIENCE)
    page.screenshot(path=pictures / "dream-starting.png")
    expect(box).to_contain_text("[dreaming] updating", timeout=hands.PATIENCE)
    hands.press(page, "stop")
    expect(box).to_contain_text("The dream was stopped", timeout=hands.PATIENCE)
    expect(box).to_contain_text("awake")
    assert memories(home, 10) == before
    page.screenshot(path=pictures / "dream-stopped.png")

    hands.press(page, "dream")
    expect(hands.button(page, "apply")).to_be_enabled(timeout=hands.PATIENCE)
    assert memories(home, 10) == before
    ticks = box.locator(".widget-checkbox")
    offered = [text.partition(":")[0] for text in ticks.all_inner_texts()]
    assert len(offered) >= 2
    rejected = next(file for file in offered if file != "MEMORY.md")
    ticks.filter(has_text=rejected).locator("input").uncheck()
    page.screenshot(path=pictures / "dream-receipt.png", full_page=True)
    hands.press(page, "apply")
    expect(hands.button(page, "undo")).to_be_enabled(timeout=hands.PATIENCE)
    expect(box).to_contain_text("you rejected it")
    page.screenshot(path=pictures / "dream-done.png")
    after = memories(home, 10)
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    assert rejected not in changed
    assert changed & set(offered)

    hands.press(page, "undo")
    expect(box).to_contain_text("Took back", timeout=hands.PATIENCE)
    assert memories(home, 10) == before
    page.screenshot(path=pictures / "dream-undone.png")
    assert hands.seen_faults(page) == []
