"""Notebook 00, and each widget's main action, in a real browser, by mouse and keys.

Each widget is in a small notebook of its own, so that it does not depend on the course's. After a
click nothing else is sent to the kernel, because any other message could hide that a callback did
not wake it.
"""

from __future__ import annotations

from playwright.sync_api import Page, expect

from memlab.dream.gates import GATES
from tests.browser.hands import Lab, look_at, no_fault_is_seen, press


def test_notebook_00_runs_and_is_saved(page: Page, running: Lab) -> None:
    running.run(page, "00_start_here")
    page.evaluate("window.jupyterapp.commands.execute('docmanager:save')")
    assert running.saved_faults("00_start_here") == []


def test_chat_type_and_see_the_new_file(page: Page, running: Lab) -> None:
    box = running.run(page, "chat")
    before, new = running.memories(8), "take-my-coffee-black.md"
    expect(box).to_contain_text("Nothing was said yet")
    line = page.get_by_placeholder("Say something")
    for typed, shown in (
        ("Remember that I take my coffee black.", f"Saved to memory: {new}"),
        ("Do I take milk in my coffee?", "From memory: I take my coffee"),
        ("/undo", "Took back"),
    ):
        line.fill(typed)
        line.press("Enter")
        expect(box).to_contain_text(shown)
        expect(line).to_have_value("")
        assert (running.memories(8).keys() - before.keys() == {new}) == (typed != "/undo")
    look_at(page, "chat", box)
    no_fault_is_seen(page)


def test_dials_turn_and_the_gates_answer(page: Page, running: Lab) -> None:
    box = running.run(page, "dials")
    gates = box.get_by_role("listitem")
    expect(gates.filter(has_text="✓ open")).to_have_count(len(GATES))
    expect(box.get_by_role("status")).to_contain_text("All gates are open")
    hours = box.get_by_label("hours since the lock's time")
    hours.fill("12")
    hours.press("Enter")
    expect(gates.filter(has_text="✗ shut")).to_contain_text("time")
    expect(gates.filter(has_text="not asked")).to_have_count(len(GATES) - 2)
    look_at(page, "dials", box)
    box.get_by_text("auto_dream").click()
    expect(gates.first).to_contain_text("auto_dream is off")
    no_fault_is_seen(page)


def test_a_dream_is_stopped_then_reviewed_applied_and_undone(page: Page, running: Lab) -> None:
    box = running.run(page, "review")
    before = running.memories(11)
    press(page, "Dream")
    expect(box).to_contain_text("● starting")
    press(page, "Stop")
    expect(box).to_contain_text("The dream was stopped")
    assert running.memories(11) == before

    press(page, "Dream")
    ticks = box.locator(".widget-checkbox")
    expect(ticks.first).to_be_visible()
    assert running.memories(11) == before
    expect(box.locator("pre .bad").first).to_be_visible()
    offered = [text.split()[0] for text in ticks.all_inner_texts()]
    assert len(offered) >= 2
    look_at(page, "review", box.locator("[role=status]"))
    rejected = next(file for file in offered if file != "MEMORY.md")
    ticks.nth(offered.index(rejected)).locator("input").uncheck()
    press(page, "Apply the ticked changes")
    expect(box.get_by_text("✓ done").first).to_be_visible()
    expect(box).to_contain_text("you rejected it")
    after = running.memories(11)
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    assert rejected not in changed
    assert changed & set(offered)

    press(page, "Undo")
    expect(box).to_contain_text("Took back")
    assert running.memories(11) == before
    no_fault_is_seen(page)


def test_figures_are_pictures(page: Page, running: Lab) -> None:
    running.run(page, "figures")
    drawn = page.locator(".jp-RenderedSVG img")
    expect(drawn).to_have_count(1)
    look_at(page, "figures", drawn)
