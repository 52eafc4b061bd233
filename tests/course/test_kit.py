"""How a gap is judged, saved, loaded and put into memlab."""

from __future__ import annotations

import itertools
import linecache
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memlab.course import gap as kit
from memlab.course import gap_list, own_parts, parts
from memlab.course.gap import judge, load, stand_alone, wrong_answers
from memlab.course.own_parts import My, check, hint, parts_folder, solution, split_old_file
from tests.course import toy09

_NUMBERS = itertools.count()
RIGHT = "def longest(text):\n    return max([len(w) for w in text.lower().split()], default=0)\n"


@pytest.fixture(autouse=True)
def my(monkeypatch: pytest.MonkeyPatch) -> My:
    """Put the toy's gaps in the place of the real ones."""
    for module in (kit, own_parts, gap_list):
        monkeypatch.setattr(module, "all_gaps", lambda: toy09.GAPS)
    mine = My()
    monkeypatch.setattr(own_parts, "my", mine)
    monkeypatch.setattr(parts, "SECONDS", 0.3)
    return mine


@pytest.fixture
def run(my: My, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run a cell, and return what it printed."""
    names: dict[str, Any] = {"__name__": "__main__", "check": check, "my": my}

    def run_cell(source: str) -> str:
        file = f"/tmp/ipykernel_1/{next(_NUMBERS)}.py"
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        exec(compile(source, file, "exec"), names)
        return capsys.readouterr().out

    return run_cell


def saved(name: str) -> Path:
    return parts_folder() / f"{name}.py"


def said(name: str, source: str) -> str:
    return " ".join(str(judge(toy09.GAPS[name], load(name, source))).split())


# what is judged


def test_a_wrong_answer_runs_in_a_copy_of_its_modules_names() -> None:
    gap = replace(toy09.GAPS["longest"], wrong=(("return _", "return 1 + _", "a run of letters"),))
    [(function, words)] = wrong_answers(gap)
    assert words in str(judge(gap, function))
    assert toy09.longest("ABCD") == 4
    twice = replace(gap, wrong=(("e", "f", "twice"),))
    with pytest.raises(ValueError, match="not in it once"):
        list(wrong_answers(twice))


def test_a_case_on_which_ours_raises_is_an_error_unless_the_gap_names_it() -> None:
    strict = replace(toy09.GAPS["digits"], raises=())
    with pytest.raises(ValueError, match="ours fails"):
        judge(strict, int)
    assert "✓" in said("digits", "def digits(text):\n    return int(text)")
    other = (
        "def digits(text):\n    if text == 'x':\n        raise UnicodeError('other words')\n"
        "    return int(text)"
    )
    assert "✓" in said("digits", other)
    wrong = other.replace("UnicodeError", "KeyError")
    assert "you raised KeyError" in said("digits", wrong)
    assert "expected: a ValueError" in said("digits", wrong)
    assert "expected: a ValueError you returned: 0" in said(
        "digits", "def digits(text):\n    return 12 if text == '12' else 0"
    )


def test_the_message_names_the_call_the_line_what_was_printed_and_the_rule() -> None:
    text = said("longest", "def longest(text):\n    print('hello')\n    return text[99]\n")
    assert "longest('Ab abc') you raised IndexError: string index out of range" in text
    assert "in line 3: return text[99]" in text
    assert "printed: hello" in text
    assert "This case is about: a word is a run of letters." in text
    assert 'hint("longest") · solution("longest")' in text


def test_a_changed_argument_counts_unless_ours_changes_it_too() -> None:
    assert "✓" in said("take_all", "def take_all(items):\n    return items")
    gap = replace(toy09.GAPS["take_all"], answer=lambda items: items[:])
    verdict = judge(gap, toy09.take_all)
    assert "changed its argument" in str(verdict)


def test_a_function_that_hangs_is_ended() -> None:
    before = threading.active_count()
    text = said("longest", "def longest(text):\n    while True:\n        pass")
    assert "It was stopped, because it took over 0.5 seconds." in text
    assert threading.active_count() <= before


def test_a_type_counts() -> None:
    assert "expected: 3 you returned: 3.0" in said("longest", "def longest(text):\n    return 3.0")


# check


def test_what_passes_is_saved_and_called(run: Callable[..., str], my: My) -> None:
    text = run(f"LIMIT = 3\nprint('once')\n{RIGHT}\n\ncheck(longest)\nx = 1 + 1\n")
    assert text.startswith(
        "once\n✓ pass  longest (2 cases). Saved in my/parts/longest.py; from now"
    )
    assert saved("longest").read_text("utf-8").startswith("# longest, notebook 09: passed, ")
    assert "print" not in saved("longest").read_text("utf-8")
    assert toy09.longest("Abcd") == 4
    assert my.longest("abc") == 3
    assert parts.calls["longest"] == 2
    assert "longest  passed      2" in str(my.counts())


def test_a_class_is_saved_and_its_methods_are_counted(run: Callable[..., str], my: My) -> None:
    start = "class Counter:\n    n = 0\n    def up(self):\n        "
    assert "○ todo" in run(f"{start}...\ncheck(Counter)\n")
    assert "✓" in run(f"{start}self.n += 1\n        return self.n\ncheck(Counter)\n")
    assert "self.n += 1" in saved("Counter").read_text("utf-8")
    counter: Any = toy09.Counter()
    assert (counter.up(), counter.up()) == (1, 2)
    assert parts.calls["Counter"] == 2
    assert my.load() == []
    assert toy09.Counter is not counter.__class__
    assert toy09.Counter().up() == 1
    assert parts.calls["Counter"] == 1


@pytest.mark.parametrize("body", ["...", "raise NotImplementedError", '"""Doc."""\n    ...'])
def test_a_starter_is_todo(run: Callable[..., str], body: str) -> None:
    assert run(f"def longest(text):\n    {body}\n\ncheck(longest)\n") == (
        "○ todo  longest is not written yet: until it passes, memlab's version is used"
        ' · hint("longest") · solution("longest")\n'
    )
    assert not parts_folder().exists()


def test_the_cell_stands_alone_and_has_my(run: Callable[..., str]) -> None:
    run("LIMIT = 0\n")
    text = run("def longest(text):\n    return LIMIT\ncheck(longest)\n")
    assert "you raised NameError: name 'LIMIT' is not defined" in text
    assert "Put what it uses into the same cell" in text
    text = run("NUMBER = LIMIT\ndef longest(text):\n    return NUMBER\ncheck(longest)\n")
    assert "has to stand alone" in text
    text = run(
        "def allowed(name):\n    return my.longest(name) > 0 and name[0] == 'a'\ncheck(allowed)\n"
    )
    assert "✓" in text


def test_an_answer_that_calls_itself_is_none(run: Callable[..., str]) -> None:
    text = run("def longest(text):\n    return my.longest(text)\ncheck(longest)\n")
    assert "my.longest is what you are writing" in text
    run(f"{RIGHT}\ncheck(longest)\n")
    assert "✗" in run("def longest(text):\n    return my.longest(text)\ncheck(longest)\n")
    hidden = "from tests.course import toy09\nlongest = toy09.longest\ncheck(longest)\n"
    assert "✓" not in run(hidden)


def test_while_a_gap_is_judged_no_part_is_in_memlab(run: Callable[..., str], my: My) -> None:
    my.use(toy09.GAPS["longest"], lambda text: 99)
    my.use(toy09.GAPS["allowed"], lambda name: False)
    ours = "from tests.course import toy09\ndef allowed(name):\n    return "
    text = run(
        f"{ours}toy09.longest(name) == my.longest(name) == 2 and name < 'b'\ncheck(allowed)\n"
    )
    assert "✓" in text
    assert toy09.longest("a") == 99
    assert parts.calls["longest"] == 1


def test_hints_and_the_solution(capsys: pytest.CaptureFixture[str]) -> None:
    hint("longest")
    hint("longest")
    assert capsys.readouterr().out.splitlines() == [
        "hint 1 of 2: one",
        'hint 2 of 2: two (the last one; solution("longest") shows one way)',
    ]
    text = stand_alone(toy09.longest)
    assert text in str(solution("longest"))
    assert text.startswith(
        "import re\nfrom pathlib import Path\nfrom tests.course.toy09 import Box\n\n\n"
        "def _longest(words: list[str]) -> int:\n"
    )
    assert '\n\nWORD = re.compile("[a-z]+")\n' in text
    assert judge(toy09.GAPS["longest"], load("longest", text)).passed


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (3, "give the function itself, not 3"),
        (len, "there is no gap 'len'"),
        (lambda text: 1, "there is no gap '<lambda>'"),
        ("longst", "Did you mean longest?"),
        ("longest", "Give the function itself: check(longest)"),
        (toy09.longest, "this is memlab's own"),
    ],
)
def test_what_is_no_answer(given: Any, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    check(given)
    out = capsys.readouterr().out
    assert "✗" in out
    assert words.casefold() in " ".join(out.split()).casefold()


# in memlab


def use(my: My, name: str, source: str) -> None:
    my.use(toy09.GAPS[name], load(name, source))


def test_a_part_that_raises_leaves_nothing_behind_and_ours_is_used(
    my: My, capsys: pytest.CaptureFixture[str]
) -> None:
    use(my, "take_all", "def take_all(items):\n    items.pop()\n    return 1 / 0")
    items = ["a", "b"]
    assert toy09.take_all(items) == ["a", "b"]
    assert items == []
    assert toy09.take_all(["c"]) == ["c"]
    assert capsys.readouterr().out == (
        "your take_all raised ZeroDivisionError: division by zero (line 3: return 1 / 0);"
        " memlab's own version was used instead\n"
    )


def test_an_argument_that_can_remember_is_put_back(my: My) -> None:
    class Lock:
        text = "before"

        def remember(self) -> Callable[[], None]:
            text = self.text
            return lambda: setattr(self, "text", text)

    use(my, "longest", "def longest(text, box=None):\n    box.text = 'half'\n    raise OSError")
    box: Any = Lock()
    assert toy09.longest("abc", box=box) == 3
    assert box.text == "before"


def test_a_part_that_hangs_is_cut_off(my: My, capsys: pytest.CaptureFixture[str]) -> None:
    source = "def longest(text):\n    while text == 'abc':\n        pass\n    return 7"
    use(my, "longest", source)
    start = time.monotonic()
    assert toy09.longest("abc") == 3
    assert time.monotonic() - start < 3
    assert toy09.longest("abcd") == 7
    assert "your longest did not return within 0.3 seconds (line" in capsys.readouterr().out


def test_what_a_right_answer_may_raise_comes_through(my: My) -> None:
    use(my, "digits", "def digits(text):\n    raise ValueError('mine')")
    with pytest.raises(ValueError, match="mine"):
        toy09.digits("12")
    use(my, "digits", "def digits(text):\n    raise KeyError('mine')")
    assert toy09.digits("12") == 12


def test_a_guard_may_only_refuse_more(my: My) -> None:
    use(my, "allowed", "def allowed(name):\n    return name != 'ab'")
    assert [toy09.allowed(name) for name in ("a", "ab", "b")] == [True, False, False]


def test_enters_turns_a_part_into_what_memlab_calls(my: My) -> None:
    def enters(mine: Any, own: Any) -> Any:
        return lambda items: [mine(item) or own([item]) for item in items]

    gap = replace(toy09.GAPS["take_all"], enters=enters)
    my.use(gap, lambda item: item == "a")
    assert toy09.take_all(["a", "b"]) == [True, ["b"]]
    assert parts.calls["take_all"] == 2


def test_parts_can_be_taken_out_for_a_while(my: My) -> None:
    use(my, "longest", "def longest(text):\n    return 7")
    part = toy09.longest
    with parts.without_parts():
        assert toy09.longest("a") == 1
    assert toy09.longest is part
    assert parts.calls["longest"] == 0


def test_a_complete_set_counts_all(my: My) -> None:
    use(my, "longest", "def longest(text):\n    return 7")
    assert toy09.longest("a") == 7
    with my.completed(allowed=lambda name: False) as calls:
        assert toy09.longest("a") == 7
        assert toy09.digits("3") == 3
        assert not toy09.allowed("a")
        assert dict(calls) == {"longest": 1, "digits": 1, "allowed": 1}
    assert dict(calls) == {"longest": 1, "digits": 1, "allowed": 1}
    assert toy09.allowed("a")
    assert dict(parts.calls) == {"longest": 2}


# the files


def test_load_puts_the_files_into_memlab_and_names_what_cannot_be_used(
    my: My, run: Callable[..., str]
) -> None:
    run(f"{RIGHT}\ncheck(longest)\n")
    own_parts.write_part(toy09.GAPS["digits"], "def digits(text)\n", "passed")
    own_parts.write_part(toy09.GAPS["allowed"], "while True:\n    pass\n", "passed")
    parts.remove_all()
    problems = my.load()
    assert len(problems) == 2
    assert problems[0].startswith("my/parts/allowed.py: TooLongError")
    assert problems[1].startswith("my/parts/digits.py: SyntaxError")
    assert "Until you fix this, memlab's version is used" in problems[1]
    assert dir(my)
    assert repr(my) == "<my parts: longest>"
    assert toy09.digits("1") == 1


def test_a_part_that_was_edited_is_checked_again(my: My, run: Callable[..., str]) -> None:
    run(f"{RIGHT}\ncheck(longest)\n")
    text = saved("longest").read_text("utf-8")
    saved("longest").write_text(text.replace("default=0", "default=1 - 1"), "utf-8")
    assert str(gap_list.progress()).count("edited") == 1
    assert my.load() == []
    assert str(gap_list.progress()).count("passed") == 1
    saved("longest").write_text(text.replace("default=0", "default=1"), "utf-8")
    [problem] = my.load()
    assert "was edited and does not pass any more, so memlab's version is used" in problem
    assert "there may be no word" in problem
    assert toy09.longest("") == 0


def test_an_old_file_is_split_once(my: My) -> None:
    old = parts_folder().parent / "memory.py"
    old.parent.mkdir(parents=True)
    old.write_text(
        "# memlab parts, version 1\n\n\n"
        f"# ---- longest (notebook 09): passed, 1a2b3c4d ----\n{RIGHT}\n\n"
        "# ---- gone (notebook 09): passed, off, 1a2b3c4d ----\nx = 1\n\n\n"
        "# ---- allowed (notebook 09): passed ----\ndef allowed(name):\n    return True\n",
        "utf-8",
    )
    [line] = split_old_file()
    assert line.startswith("my/memory.py was split into my/parts, one file for each part")
    assert "(longest, allowed)" in line
    assert split_old_file() == []
    assert old.with_name("memory.older.py").exists()
    [problem] = my.load()
    assert "allowed" in problem
    assert repr(my) == "<my parts: longest>"
    old.write_text("# ---- gone (notebook 09): passed ----\nx = 2\n", "utf-8")
    assert "kept as my/memory.older.older.py" in split_old_file()[0]


def test_start_fills_in_ours_and_progress_says_so(my: My, run: Callable[..., str]) -> None:
    assert gap_list.parts_line() == ""
    run(f"{RIGHT}\ncheck(longest)\n")
    assert gap_list.parts_line() == "Your parts: 1 of 5 · progress()"
    assert gap_list.fill_in(9) == []
    assert gap_list.fill_in(10) == ["digits", "take_all", "allowed", "Counter"]
    assert gap_list.fill_in(10) == []
    assert gap_list.parts_line() == "Your parts: 1 of 5 (and 4 of ours) · progress()"
    assert [row[2] for row in gap_list.progress().rows] == ["passed", *["ours"] * 4]
    assert my.load() == []
    assert toy09.digits("12") == 12
    assert parts.calls["digits"] == 1


def test_the_system_is_one_file(my: My, run: Callable[..., str]) -> None:
    run(f"{RIGHT}\ncheck(longest)\n")
    text = str(my.system())
    assert text.splitlines()[0].endswith("lines of code in 5 parts; 1 of them are yours")
    assert "# ---- longest (notebook 09): yours ----\ndef longest(text):" in text
    assert "# ---- digits (notebook 09): our solution ----\ndef digits(text: str)" in text
    exec(compile(text, "system", "exec"), {})


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    yield
    assert not [each for each in threading.enumerate() if each.name.endswith("(work)")]
