"""The house stays readable: its size, its docstrings, what importing it costs, what it gives away.

Left out: what ruff, mypy and import-linter check.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import time
import tokenize
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "memlab"
GROUND = ("settings", "clock", "events", "ledger", "text", "errors")
FLOORS = ("memdir", "recall", "agent", "extract", "dream", "harness")

# Tools beside the machine: a notebook shows what they find, nobody has to read them.
TOOLS = (
    "memdir/doctor.py",
    "memdir/diagnosis.py",
    "memdir/symptoms.py",
    "dream/explore.py",
    "dream/protocols.py",
)
# What a reader of one afternoon reads, floor by floor; the rest of the floors is what it leans on.
AFTERNOON = {
    "memdir": "memory frontmatter store commit journal index truncate scan age instructions guard",
    "recall": "recall select keyword surface prefetch",
    "agent": "loop request fork permissions shell",
    "extract": "extractor heard grounding",
    "dream": "gates lock stage review dream",
}

AFTERNOON_LINES, TAUGHT_LINES, MODULE_LINES, FUNCTION_LINES = 4_000, 6_300, 300, 60

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

_LEFT_OUT = re.compile(
    r"\.git|\.venv.*|my|build|dist|__pycache__|\..*_cache|\.ipynb_checkpoints|\.hypothesis|.*\.egg-info"
)
_PUBLIC_INDEX = re.compile(r"\b(?:pypi\.org|pythonhosted\.org|npmjs\.(?:com|org))\b")
_REGISTRY = re.compile(
    r"\b[\w-]*(?:artifactory|jfrog|devpi|nexus|goproxy)[\w-]*\.[a-z]{2,}\b"
    r"|\bregistry\.[\w-]+\.[a-z]{2,}\b",
    re.IGNORECASE,
)
# The example's developer is Robin; paths of that home belong to the story.
_HOME = re.compile(r"(?<![\w~.-])/(?:home/(?!robin\b)|Users/)\w+|\b[A-Z]:\\+Users\\+\w+")


def python_files(*parts: str) -> list[Path]:
    """Return the modules of parts of the package, each a folder or one file."""
    found: list[Path] = []
    for part in parts:
        module = PACKAGE / f"{part}.py"
        found += [module] if module.exists() else sorted((PACKAGE / part).rglob("*.py"))
    return found


def lines_of(path: Path) -> int:
    return path.read_bytes().count(b"\n")


def code_lines_of(path: Path) -> int:
    """Count the lines that hold code: no blank lines, no comments, no docstrings."""
    source = path.read_text(encoding="utf-8")
    skipped = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER}
    skipped |= {tokenize.INDENT, tokenize.DEDENT}
    held: set[int] = set()
    for token in tokenize.generate_tokens(StringIO(source).readline):
        if token.type not in skipped:
            held |= set(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, Definition | ast.Module) and ast.get_docstring(node) is not None:
            held -= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return len(held)


SAMPLE = [
    '"""Doc.',
    "",
    'More."""',
    "",
    "# why",
    'x = """a',
    'b"""  # tail',
    "",
    "def f():",
    '    "D."',
]


def test_blank_lines_comments_and_docstrings_are_no_code(tmp_path: Path) -> None:
    sample = tmp_path / "sample.py"
    sample.write_text("\n".join(SAMPLE), encoding="utf-8")
    assert code_lines_of(sample) == 3


def test_the_heart_of_the_machine_can_be_read_in_an_afternoon() -> None:
    chosen = [PACKAGE / f"{name}.py" for name in (*GROUND, "harness")]
    for floor, names in AFTERNOON.items():
        chosen += [PACKAGE / floor / f"{name}.py" for name in names.split()]
    total = sum(code_lines_of(path) for path in chosen)
    print(f"{total} of {AFTERNOON_LINES} lines in {len(chosen)} modules")
    assert total <= AFTERNOON_LINES
    listed = (PACKAGE / "README.md").read_text(encoding="utf-8")
    for floor, names in AFTERNOON.items():
        assert f"| `{floor}/` | {', '.join(names.split())} |" in listed


def test_all_taught_floors_stay_within_their_size() -> None:
    tools = [PACKAGE / name for name in TOOLS]
    assert all(tool.is_file() for tool in tools)

    def size(*parts: str) -> int:
        return sum(code_lines_of(path) for path in python_files(*parts) if path not in tools)

    sizes = {"ground": size(*GROUND)} | {floor: size(floor) for floor in FLOORS}
    total = sum(sizes.values())
    for floor, lines in sizes.items():
        print(f"{floor:8} {lines:5}")
    print(f"{'total':8} {total:5} of {TAUGHT_LINES}")
    assert sizes["ground"] > 0
    assert total <= TAUGHT_LINES, sizes


def test_a_module_is_one_idea() -> None:
    sizes = {path.relative_to(ROOT).as_posix(): lines_of(path) for path in python_files("")}
    assert len(sizes) > len(GROUND)
    assert {name: lines for name, lines in sizes.items() if lines > MODULE_LINES} == {}


def long_functions(tree: ast.Module) -> list[str]:
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [
        f"{node.name}: {node.end_lineno - node.lineno + 1} lines"
        for node in ast.walk(tree)
        if isinstance(node, functions)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno >= FUNCTION_LINES
    ]


def undocumented(tree: ast.Module) -> list[str]:
    own = [] if ast.get_docstring(tree) else ["the module"]
    return own + _undocumented(tree, "")


def _undocumented(tree: ast.Module | ast.ClassDef, prefix: str) -> list[str]:
    found: list[str] = []
    for node in tree.body:
        if isinstance(node, Definition) and not node.name.startswith("_"):
            if not ast.get_docstring(node) and not _is_only_typing(node):
                found.append(prefix + node.name)
            if isinstance(node, ast.ClassDef):
                found += _undocumented(node, f"{prefix}{node.name}.")
    return found


def _is_only_typing(node: Definition) -> bool:
    return any(ast.unparse(one).endswith(("overload", ".setter")) for one in node.decorator_list)


@pytest.mark.parametrize(
    "path", python_files(""), ids=lambda path: path.relative_to(PACKAGE).as_posix()
)
def test_a_module_says_what_it_holds_and_its_functions_fit_a_screen(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert undocumented(tree) == []
    assert long_functions(tree) == []


def test_missing_docstrings_and_long_functions_are_found() -> None:
    body = "\n".join(["    x = 1"] * FUNCTION_LINES)
    tree = ast.parse(
        f"'''M.'''\nclass A:\n    '''A.'''\n    def b(self):\n        pass\ndef c():\n{body}"
    )
    assert undocumented(tree) == ["A.b", "c"]
    assert long_functions(tree) == [f"c: {FUNCTION_LINES + 1} lines"]
    assert undocumented(ast.parse("x = 1")) == ["the module"]


def third_party(imports: str) -> set[str]:
    """Return the top-level packages, not Python's and not memlab, that an import line loads."""
    shown = subprocess.run(
        [sys.executable, "-c", f"{imports}\nimport sys\nprint(*sys.modules)"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    loaded = {name.partition(".")[0] for name in shown.split()}
    return loaded - set(sys.stdlib_module_names) - {"memlab", "__main__", "__mp_main__"}


def seconds(imports: str) -> float:
    begun = time.perf_counter()
    third_party(imports)
    return time.perf_counter() - begun


def test_importing_memlab_loads_no_third_party() -> None:
    always = third_party("pass")  # what an environment's .pth files load
    assert third_party("import memlab") - always == set()
    assert "yaml" in third_party("import memlab, yaml") - always
    bare, ours = (min(seconds(line) for _ in range(5)) for line in ("pass", "import memlab"))
    print(f"import memlab: {1000 * (ours - bare):.0f} ms over bare Python ({1000 * bare:.0f} ms)")


def project_texts(folder: Path = ROOT) -> Iterator[tuple[str, str]]:
    """Yield name and text of every project file that is text."""
    for path in sorted(folder.iterdir()):
        if _LEFT_OUT.fullmatch(path.name) or path.is_symlink():
            continue
        if path.is_dir():
            yield from project_texts(path)
        else:
            try:
                yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue


def given_away(name: str, text: str) -> list[str]:
    """Return registry hosts and machine paths.

    Tests and batteries may make paths up, and quote what pip says about the public index.
    """
    found = [match.group() for match in _REGISTRY.finditer(text)]
    if len(ROOT.parts) > 2 and str(ROOT) in text:
        found.append(str(ROOT))
    if not name.startswith(("tests/", "data/labelled/")):
        found += [match.group() for match in _PUBLIC_INDEX.finditer(text)]
        found += [match.group() for match in _HOME.finditer(text)]
    return found


def test_no_project_file_names_a_registry_or_a_machine() -> None:
    problems = {name: given_away(name, text) for name, text in project_texts()}
    assert "memlab/errors.py" in problems
    assert {name: found for name, found in problems.items() if found} == {}


def test_a_registry_and_a_machine_are_found() -> None:
    mirror = ".".join(["our-artifactory", "example"])
    assert given_away("tests/x.py", f"get it from https://{mirror}/x") == [mirror]
    assert given_away("README.md", "get it from https://files.pythonhosted.org/x")
    assert given_away("tests/x.py", "pip said: no host pypi.org") == []
    assert given_away("README.md", "see /home/someone/notes") == ["/home/someone"]
    assert given_away("README.md", f"in {ROOT}") == [str(ROOT)]
    assert given_away("README.md", "~/tidebook, /home/robin/tidebook, api.anthropic.com") == []
