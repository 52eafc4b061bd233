"""The map in ``notebooks/README.md``: behaviour, notebook, module, test; and what must hold of it.

``python -m tests.notebooks.behaviours`` writes it. A row is true if its module and its test exist,
the test names the module or a name of its, and so does the notebook (``lab.ledger`` and
``request.account`` among them). Left out: whether the test is
a good one, which the mutation proof tells.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = ROOT / "notebooks" / "README.md"
BEGIN, END = "<!-- behaviours: begin -->", "<!-- behaviours: end -->"


@dataclass(frozen=True)
class Behaviour:
    """One thing the machine does, the notebook that teaches it, its module, and its test."""

    what: str
    notebook: str
    module: str
    test: str

    @property
    def row(self) -> str:
        """The row of the table."""
        return f"| {self.what} | {self.notebook} | `{self.module}` | `{self.test}` |"


def _rows(notebook: str, *rows: tuple[str, str, str]) -> Iterator[Behaviour]:
    for what, module, test in rows:
        yield Behaviour(what, notebook, f"memlab/{module}.py", f"tests/{test}.py")


# fmt: off
BEHAVIOURS: tuple[Behaviour, ...] = (
    *_rows("00",
        ("a request is all a model knows; its tokens are counted", "text", "unit/test_ground"),
        ("every call is in the ledger, by purpose", "ledger", "unit/test_ground"),
    ),
    *_rows("01",
        ("where memory lives, and who may redirect it", "memdir/paths", "unit/memdir/test_paths"),
        ("a memory is one Markdown file that survives a round trip", "memdir/memory",
         "unit/memdir/test_memory"),
        ("a change is whole or not at all, whatever crashes", "memdir/store",
         "faults/test_crash_matrix"),
        ("nothing is removed without a copy; undo brings it back", "memdir/store",
         "unit/memdir/test_store"),
        ("what must not be stored is refused with a reason", "memdir/policy",
         "unit/memdir/test_policy"),
    ),
    *_rows("02",
        ("the index is cut to 200 lines, then 25,000 bytes, and says so", "memdir/index",
         "unit/memdir/test_index"),
        ("the index can be rebuilt from the files", "memdir/index", "unit/memdir/test_index"),
        ("a cached prefix, and what breaks it", "models/cache", "unit/models/test_cache"),
    ),
    *_rows("03",
        ("the 200 newest headers, stat first and read after", "memdir/scan",
         "unit/memdir/test_scan"),
        ("an old memory travels with a caveat", "memdir/dates", "unit/memdir/test_dates"),
        ("a whole directory is examined, and nothing changed", "memdir/lint",
         "unit/memdir/test_doctor"),
    ),
    *_rows("04",
        ("a side-query picks five at most", "recall/selection", "unit/recall/test_selection"),
        ("words choose where the model cannot", "recall/keyword", "unit/recall/test_keyword"),
        ("what is shown fits a budget, and is shown once", "recall/attach",
         "unit/recall/test_attach"),
    ),
    *_rows("05",
        ("a turn ends whole, however it ends", "agent/loop", "unit/agent/test_aborts"),
        ("errors of tools are results", "agent/tools", "unit/agent/test_tools"),
        ("recall runs beside the turn", "recall/prefetch", "unit/recall/test_prefetch"),
        ("a killed session can be resumed", "agent/resume", "unit/agent/test_transcript"),
    ),
    *_rows("06",
        ("a fork sends its parent's request and one message more", "agent/fork",
         "unit/agent/test_fork"),
    ),
    *_rows("07",
        ("a fork may read, and write memories", "agent/permissions",
         "unit/agent/test_memory_permissions"),
        ("a command runs only if it provably reads", "agent/command_policy",
         "unit/agent/test_command_policy"),
        ("a path stays inside, links and look-alikes included", "memdir/path_safety",
         "unit/memdir/test_path_safety"),
    ),
    *_rows("08",
        ("each message is looked at once, by one run at a time", "extract/extractor",
         "unit/extract/test_schedules"),
        ("a failed run costs nothing", "extract/extractor", "unit/extract/test_failures"),
        ("a memory rests on the person's words", "memdir/attribution",
         "unit/extract/test_attribution"),
        ("the assembled agent remembers by itself", "harness", "unit/test_harness"),
    ),
    *_rows("09",
        ("five gates, cheapest first", "dream/gates", "unit/dream/test_gates"),
        ("one holder at most, whoever crashes", "dream/lock", "faults/test_lock_contests"),
        ("every interleaving is tried", "course/lock_explorer", "unit/course/test_lock_explorer"),
    ),
    *_rows("10",
        ("a dream is committed whole, or leaves memory as it was", "dream/dream",
         "faults/test_dream_faults"),
        ("what vanishes is accounted for, or refused", "memdir/review",
         "faults/test_hostile_dreamer"),
    ),
    *_rows("11",
        ("two weeks of sessions, from an empty directory", "course/replay",
         "unit/course/test_replay"),
    ),
)
# fmt: on


def table(behaviours: tuple[Behaviour, ...] = BEHAVIOURS) -> str:
    """Write the map as a table."""
    head = "| behaviour | notebook | module | test |\n| --- | --- | --- | --- |"
    return "\n".join([head, *(one.row for one in behaviours)])


def stands_in_readme(text: str) -> str:
    """Give what stands between the two marks of the README."""
    return text.partition(BEGIN)[2].partition(END)[0].strip()


def problems(one: Behaviour, root: Path = ROOT) -> Iterator[str]:
    """Say what is not true of a row."""
    module, test = root / one.module, root / one.test
    pages = list((root / "notebooks").glob(f"{one.notebook}_*.ipynb"))
    for path in (module, test):
        if not path.is_file():
            yield f"{path.relative_to(root)} is missing"
    if len(pages) != 1:
        yield f"there is no notebook {one.notebook}"
    if not module.is_file() or not test.is_file() or not pages:
        return
    names = _names_of(module)
    cells = json.loads(pages[0].read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells)
    for where, text in (("the notebook", code), ("the test", test.read_text(encoding="utf-8"))):
        if not any(re.search(rf"\b{re.escape(name)}\b", text) for name in names):
            yield f"{where} names nothing of {one.module}"


def _names_of(module: Path) -> set[str]:
    """Give the module's dotted name and the public names it defines."""
    dotted = ".".join(module.with_suffix("").parts[-3:]).partition("memlab.")[2]
    defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    tree = ast.parse(module.read_text(encoding="utf-8"))
    own = {node.name for node in tree.body if isinstance(node, defined)}
    handed = {
        "ledger": "lab.ledger",
        "cache": "requests[-1].account",
        "harness": "harness_for",
    }.get(module.stem)
    public = {name for name in own if not name.startswith("_")}
    return {f"memlab.{dotted}", *public, *([handed] if handed else [])}


def main() -> None:
    """Write the map into the README."""
    text = README.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    README.write_text(f"{before}{BEGIN}\n{table()}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
