"""Every rule accepts a good notebook and finds one that breaks it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.notebooks import rules_code, rules_exercises
from tests.notebooks.rules import RULES
from tests.notebooks.rules_code import uncompared
from tests.notebooks.rules_outputs import machine_traces
from tests.notebooks.samples import (
    EXERCISES,
    PACKAGE_NAMES,
    Change,
    Notebook,
    appended,
    code,
    dropped,
    good_notebook,
    markdown,
    replaced,
    shown,
    stream,
    write_page,
)

BY_NAME = {rule.__name__: rule for rule in RULES}


def counted_wrong(notebook: Notebook) -> None:
    notebook["cells"][-1]["execution_count"] = 99
    next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")["execution_count"] = 2


def not_run(notebook: Notebook) -> None:
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["execution_count"], cell["outputs"] = None, []


def silent(notebook: Notebook) -> None:
    for cell in notebook["cells"]:
        if "print" in cell["source"]:
            cell["outputs"] = []


def figure_alone(notebook: Notebook) -> None:
    for cell in notebook["cells"]:
        if cell["source"] == "[1, 2]":
            cell["outputs"] = [shown(text_plain="<Figure size 2>", image_png="aGVsbG8=")]


def check_passed(notebook: Notebook) -> None:
    for cell in notebook["cells"]:
        if cell["source"] == "check(free_boats)":
            cell["outputs"] = [stream("✓ pass  free_boats (3 cases).\n")]


def check_far_away(notebook: Notebook) -> None:
    cells = notebook["cells"]
    sources = [cell["source"] for cell in cells]
    cells.append(cells.pop(sources.index("check(free_boats)")))


def both(*changes: Change) -> Change:
    def change(notebook: Notebook) -> None:
        for one in changes:
            one(notebook)

    return change


def put_first(notebook: Notebook) -> None:
    notebook["cells"].insert(0, markdown("Welcome."))


def tagged(*tags: str) -> Change:
    return appended({**code("1", text_plain="1"), "metadata": {"tags": list(tags)}})


def with_output(output: dict[str, object]) -> Change:
    return appended({**code("1"), "outputs": [output]})


BROKEN: dict[str, list[tuple[Change, str]]] = {
    "title_and_promise_come_first": [
        (put_first, "does not begin with a title"),
        (replaced("After this you can find any boat on the beach.", "Boats."), "no promise"),
    ],
    "opener_is_complete": [
        (replaced("**You will build**", "Build"), "'You will build'"),
        (replaced("**You need**", "Bring"), "'You need'"),
        (replaced("5 minutes", "a while"), "minutes"),
        (replaced("- to sort\n- to search", "to sort"), "no list of objectives"),
    ],
    "map_comes_early": [
        (dropped("![The system"), "no map"),
        (replaced("The system, with the shed lit", ""), "no map"),
    ],
    "steps_are_numbered": [
        (replaced("## Step", "### Part"), "no step"),
        (replaced("## Step 2", "## Step 3"), "numbered"),
    ],
    "middle_is_complete": [
        (dropped("## Measure"), "'Measure'"),
        (dropped("## When it breaks"), "'When it breaks'"),
        (replaced("In the real system", "Elsewhere"), "'In the real system'"),
    ],
    "closer_is_complete": [
        (dropped("## Quiz"), "'Quiz'"),
        (dropped("## Recap"), "'Recap'"),
        (dropped("## New words"), "'New words'"),
        (dropped("## Next"), "'Next'"),
        (dropped("## Exercises"), "'Exercises'"),
        (both(dropped("## Quiz"), appended(markdown("## Quiz\n\nWhich?"))), "another order"),
    ],
    "recap_mirrors_the_objectives": [
        (replaced("- You searched.", ""), "2 objectives, but 1 points"),
    ],
    "pictures_have_alternative_text": [
        (appended(markdown("![](map.svg)")), "map.svg"),
        (appended(markdown('<img src="map.svg" alt="">')), "<img"),
        (with_output(shown(text_html='<p><img src="x"></p>')), "<img"),
    ],
    "links_lead_somewhere": [
        (appended(markdown("[gone](gone.ipynb)")), "gone.ipynb"),
        (appended(markdown('![map](gone.svg) <img alt="m" src="away.svg">')), "away.svg"),
        (appended(markdown("[up](#No-such-heading)")), "#No-such-heading"),
    ],
    "a_way_to_report_back_is_linked": [
        (replaced(" · [Stuck?](stuck.md)", ""), "stuck.md"),
    ],
    "begins_from_its_own_state": [
        (replaced("begin(98)", "begin(9)"), "no begin(98)"),
    ],
    "no_package_name_is_defined_again": [
        (appended(code("def sort_boats():\n    pass")), "'sort_boats'"),
        (appended(code("async def sort_boats():\n    pass")), "'sort_boats'"),
        (appended(code("%matplotlib inline\nclass Boat:\n    pass")), "'Boat'"),
    ],
    "nothing_that_differs_from_run_to_run": [
        (appended(code("Out[3]")), "Out["),
        (appended(code("plot(1);  # no echo")), "';'"),
        (appended(code("%time 1 + 1")), "a time"),
        (appended(code("%%timeit\n1 + 1")), "a time"),
        (appended(code("!ls")), "a shell"),
    ],
    "uncompared_cells_have_a_reason": [
        (tagged("nbval-ignore-output"), "is not compared"),
        (tagged("raises-exception"), "is not compared"),
        (appended(code("# NBVAL_IGNORE_OUTPUT\n1")), "is not compared"),
    ],
    "exercises_are_whole": [
        (replaced("the longest boat.", "a boat."), "my_longest: no cell contains its starter"),
        (replaced("How long is the", "Which is the"), "my_longest: no cell contains the task"),
        (dropped("check(my_longest)"), "no check(my_longest)"),
        (check_far_away, "no check(free_boats)"),
        (check_passed, "does not say 'todo'"),
    ],
    "headings_of_gaps_agree_with_their_prompts": [
        (replaced("★★★ · about 15", "★★☆ · about 15"), "it should be '### Your turn: `my_longest`"),
        (replaced("about 15 minutes", "15 minutes"), "it should be '### Your turn: `my_longest`"),
        (replaced("### Bonus:", "### Your turn:"), "it should be '### Bonus: `free_boats`"),
        (appended(markdown("### Your turn: `my_oar`")), "no gap 'my_oar'"),
    ],
    "counts_are_1_to_n": [
        (counted_wrong, "the counts are"),
        (not_run, "the counts are"),
        (appended(code("  ")), "is empty"),
    ],
    "no_stderr_and_no_errors": [
        (with_output(stream("careful", "stderr")), "stderr"),
        (
            with_output(
                {"output_type": "error", "ename": "KeyError", "evalue": "1", "traceback": []}
            ),
            "KeyError",
        ),
    ],
    "no_trace_of_a_machine": [
        (appended(code("open('/home/someone/x')")), "source"),
        (appended(markdown("See `/tmp/notes`.")), "/tmp/notes"),
        (with_output(stream("/Users/someone/memlab")), "/Users/someone"),
        (with_output(shown(text_plain="<function f at 0x7f3c2a1b>")), "at 0x"),
        (with_output(shown(text_html="<i>lib/site-packages/x</i>")), "site-packages"),
        (with_output(stream(str(Path(__file__)))), str(Path(__file__).parents[2])),
    ],
    "plots_stand_beside_their_numbers": [(figure_alone, "shows a picture")],
}


@pytest.fixture
def made_up_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules_exercises, "registered_exercises", lambda number: EXERCISES)
    monkeypatch.setattr(rules_code, "public_names", lambda: PACKAGE_NAMES)


@pytest.mark.usefixtures("made_up_package")
def test_every_rule_accepts_a_good_notebook(tmp_path: Path) -> None:
    page = write_page(tmp_path, good_notebook())
    assert {name: said for name, rule in BY_NAME.items() if (said := rule(page))} == {}


@pytest.mark.usefixtures("made_up_package")
@pytest.mark.parametrize("name", BROKEN)
def test_the_rule_finds_every_notebook_that_breaks_it(name: str, tmp_path: Path) -> None:
    for change, problem in BROKEN[name]:
        notebook = good_notebook()
        change(notebook)
        problems = BY_NAME[name](write_page(tmp_path, notebook))
        assert any(problem in said for said in problems), (problem, problems)


def test_a_name_of_another_pattern_is_found(tmp_path: Path) -> None:
    for name in ("7_boats.ipynb", "98-sort.ipynb", "98_Sort.ipynb", "98_.ipynb"):
        assert BY_NAME["name_has_the_pattern"](write_page(tmp_path, good_notebook(), name)), name


def test_a_file_saved_by_another_program_is_found(tmp_path: Path) -> None:
    page = write_page(tmp_path, good_notebook())
    text = page.path.read_text()
    page.path.write_text(text.replace('"mimetype"', '"version": "3.99",\n   "mimetype"'))
    assert BY_NAME["file_is_in_normal_form"](page)
    page.path.write_text(text.rstrip())
    assert BY_NAME["file_is_in_normal_form"](page)


def test_every_rule_is_shown_a_notebook_that_breaks_it() -> None:
    elsewhere = {"name_has_the_pattern", "file_is_in_normal_form"}
    assert BROKEN.keys() | elsewhere == BY_NAME.keys()


@pytest.mark.usefixtures("made_up_package")
def test_notebook_00_has_no_steps_and_no_real_system(tmp_path: Path) -> None:
    notebook = good_notebook()
    for start in ("Look at", "## Step", "## Measure", "## When", "> **In the real"):
        dropped(start)(notebook)
    page = write_page(tmp_path, notebook, "00_start.ipynb")
    for name in ("steps_are_numbered", "middle_is_complete"):
        assert BY_NAME[name](page) == []


@pytest.mark.usefixtures("made_up_package")
def test_a_reason_makes_an_uncompared_cell_acceptable(tmp_path: Path) -> None:
    notebook = good_notebook()
    source = "# NBVAL_IGNORE_OUTPUT\n# not compared: the model is a live one\n1"
    appended(code(source, text_plain="1"))(notebook)
    page = write_page(tmp_path, notebook)
    assert BY_NAME["uncompared_cells_have_a_reason"](page) == []
    assert len(uncompared(page)) == 1


def test_the_storys_own_paths_belong_to_no_machine() -> None:
    for text in ("~/tidebook/sql", "/home/robin/tidebook", "https://a.org/home/b", "and/tmp/x"):
        assert machine_traces(text) == [], text
    for text in ("/home/someone", "C:\\Users\\someone", "'/var/folders/x1'", "ipykernel_123"):
        assert machine_traces(text), text


def test_the_packages_own_exercises_are_known() -> None:
    known = rules_exercises.registered_exercises(0)
    assert known
    assert all(f"def {one.name}(" in one.starter for one in known)
