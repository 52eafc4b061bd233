"""Ranking by words: what counts as shared, what comes first, and what it costs."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from memlab.recall.keyword import Corpus, KeywordIndex, keyword_rank, rank_among
from memlab.recall.selection import explains_tool_in_use
from memlab.text import stem, terms_of, words
from tests.unit.recall.helpers import header, names
from tests.work import calls

ALL = [
    header("tabs.md", "indentation is by tabs, quotes are single"),
    header("gullwing.md", "the feed the tide times come from"),
    header("last-ferry-home.md", "when large work ends", name="The way home"),
    header("boats.md", "the orange ones leak"),
    header("lantern.md", "我们的灯笼在港口"),
]


def found(query: str, *headers: object, limit: int = 5) -> list[str]:
    return names(keyword_rank(query, headers or ALL, limit))  # type: ignore[arg-type]


@pytest.mark.behaviour("F8")
@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("What indentation do you use?", ["tabs.md"]),
        ("TIDES, please!", ["gullwing.md"]),
        ("which boat?", ["boats.md"]),
        ("I go home", ["last-ferry-home.md"]),
        ("call mcp__tide__spawn", ["gullwing.md"]),
        ("灯笼在哪里", ["lantern.md"]),  # no spaces: pairs of characters
        ("港口", ["lantern.md"]),
        ("How are you?", []),
        ("the is are by when", []),
        ("md", []),
        ("", []),
    ],
)
def test_description_name_and_file_name_are_searched(query: str, best: list[str]) -> None:
    assert found(query) == best
    assert names(KeywordIndex(ALL).rank(query, 5)) == best


def test_a_rare_word_outweighs_a_common_one_among_all_memories() -> None:
    tides = [header(f"m{number}.md", "tide fact") for number in range(6)]
    lantern = header("z.md", "lantern fact")
    assert found("tide lantern", *tides, lantern)[0] == "z.md"
    lanterns = [replace(lantern, filename=f"z{number}.md") for number in range(9)]
    assert found("tide lantern", *tides[:1], *lanterns)[0] == "m0.md"
    two = [tides[0], lanterns[0]]
    corpus = Corpus(100, {stem("tide"): 90, "lantern": 2})
    assert names(rank_among("tide lantern", two, 1, corpus)) == ["z0.md"]


def test_a_short_header_outweighs_a_long_one_and_ties_go_to_the_newest() -> None:
    long = header("a.md", "tide and much about ropes, buoys, masts, sails, hulls, knots and oars")
    assert found("tide", long, header("b.md", "tide")) == ["b.md", "a.md"]
    days = (("p", 3), ("o", 3), ("q", 1))
    same = [header(f"{name}.md", "tide", days=age) for name, age in days]
    assert found("tide", *same) == found("tide", *same[::-1]) == ["q.md", "o.md", "p.md"]
    assert found("tide", *same, limit=2) == ["q.md", "o.md"]


def test_forms_of_a_word_meet_in_one_stem_and_other_words_do_not() -> None:
    together = "print printing, query queries, plan planned, order ordered, copy copied"
    for pair in f"{together}, deploy deployment, migrate migrations, monthly months".split(", "):
        one, other = pair.split()
        assert stem(one) == stem(other)
    for pair in ("part party", "ferry offer", "tide tidy", "board boat", "set see"):
        one, other = pair.split()
        assert stem(one) != stem(other)
    assert terms_of("Café") == terms_of("cafe\u0301") == terms_of("CAFE") != []
    assert stem("es" * 20_000 + "x") == "es" * 20_000 + "x"
    assert names(KeywordIndex(ALL, words).rank("tides", 5)) == []


def test_the_work_of_an_index_grows_with_its_headers_and_that_of_a_question_hardly() -> None:
    chance = random.Random(3)
    vocabulary = [f"word{number}" for number in range(400)]

    def line() -> str:
        return " ".join(chance.choices(vocabulary, k=14))

    many = [header(f"{number}.md", line()) for number in range(2_000)]
    assert calls(lambda: KeywordIndex(many)) < 2_000 * 150
    large = KeywordIndex(many)
    assert calls(lambda: large.rank(line(), 5)) < 2_000


@pytest.mark.behaviour("F3")
@pytest.mark.parametrize(
    ("filename", "description", "explains"),
    [
        ("queue-spawn-usage.md", "starting a worker, its states", True),
        ("workers.md", "mcp__queue__spawn: arguments, with an example", True),
        ("queue-spawn-trap.md", "known trap: the options of mcp__queue__spawn are ignored", False),
        ("workers.md", "a worker of mcp__queue__spawn outlives the session", False),
        ("spawn-usage.md", "usage of spawn", False),
        ("read-first.md", "read the reference before you edit the options", False),
    ],
)
def test_documentation_of_a_tool_in_use(filename: str, description: str, explains: bool) -> None:
    note = header(filename, description)
    assert explains_tool_in_use(note, ["Read", "mcp__queue__spawn"]) == explains
    assert not explains_tool_in_use(note, ["Read", "mcp__queue__list"])
