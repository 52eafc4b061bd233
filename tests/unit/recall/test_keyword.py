"""Ranking by words: what counts as shared, what comes first, and what it costs."""

from __future__ import annotations

import random
import subprocess
import sys
from dataclasses import replace

import pytest

from memlab.recall.keyword import KeywordIndex, keyword_rank
from memlab.text import stem, terms_of, words
from tests.unit.recall.helpers import header, names
from tests.work import calls

TABS = header("tabs.md", "indentation is by tabs, quotes are single")
TIDE = header("gullwing.md", "the feed the tide times come from")
FERRY = header("last-ferry-home.md", "when large work ends", name="The way home")
BARE = header("boats.md", "the orange ones leak")
ALL = [TABS, TIDE, FERRY, BARE]


def found(query: str, *headers: object, limit: int = 5) -> list[str]:
    return names(keyword_rank(query, headers or ALL, limit))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("What indentation do you use?", "tabs.md"),
        ("TIDES, please!", "gullwing.md"),
        ("is one leaking", "boats.md"),
        ("which boat?", "boats.md"),
        ("I go home", "last-ferry-home.md"),
        ("the ferry", "last-ferry-home.md"),
    ],
)
def test_description_name_and_file_name_are_searched(query: str, best: str) -> None:
    assert found(query) == [best]


@pytest.mark.behaviour("F8")
@pytest.mark.parametrize("query", ["", "   ", "?!", "How are you?", "the is are by when", "md"])
def test_no_word_in_common_is_no_memory(query: str) -> None:
    assert found(query) == []


def test_no_memory_is_no_error() -> None:
    assert keyword_rank("tide", [], 5) == []
    assert keyword_rank("tide", [header("", "", name="")], 5) == []


@pytest.mark.parametrize(("limit", "many"), [(0, 0), (-1, 0), (2, 2), (9, 4)])
def test_no_more_than_the_limit(limit: int, many: int) -> None:
    same = [header(f"tide-{number}.md", "tide fact") for number in range(4)]
    assert len(keyword_rank("tide", same, limit)) == many


def test_a_rare_word_outweighs_a_common_one() -> None:
    tides = [header(f"m{number}.md", "tide fact") for number in range(6)]
    lantern = header("z.md", "lantern fact")
    assert found("tide lantern", *tides, lantern)[0] == "z.md"
    lanterns = [replace(lantern, filename=f"z{number}.md") for number in range(9)]
    assert found("tide lantern", *tides[:1], *lanterns)[0] == "m0.md"


def test_a_short_header_outweighs_a_long_one() -> None:
    long = header("a.md", "tide and much about ropes, buoys, masts, sails, hulls, knots and oars")
    assert found("tide", long, header("b.md", "tide")) == ["b.md", "a.md"]


def test_ties_go_to_the_newest_and_then_by_name_whatever_the_order() -> None:
    same = [
        header(f"{name}.md", "tide", days=days) for name, days in (("p", 3), ("o", 3), ("q", 1))
    ]
    for seed in range(5):
        random.Random(seed).shuffle(same)
        assert found("tide", *same) == ["q.md", "o.md", "p.md"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("print", "printing"),
        ("query", "queries"),
        ("release", "releases"),
        ("released", "releasing"),
        ("plan", "planned"),
        ("order", "ordered"),
        ("deploy", "deployment"),
        ("migrate", "migrations"),
        ("copy", "copied"),
        ("address", "addresses"),
        ("monthly", "months"),
    ],
)
def test_forms_of_a_word_meet_in_one_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("part", "party"), ("ferry", "offer"), ("tide", "tidy"), ("board", "boat"), ("set", "see")],
)
def test_other_words_do_not(one: str, other: str) -> None:
    assert stem(one) != stem(other)


def test_accents_and_their_spelling_do_not_matter() -> None:
    assert terms_of("Café") == terms_of("cafe\u0301") == terms_of("CAFE") != []


def test_parts_of_a_name_in_code_are_words() -> None:
    assert found("call mcp__tide__spawn") == ["gullwing.md"]
    assert found("floor_to_indentation") == ["tabs.md"]


def test_an_index_answers_as_a_ranking_made_for_the_query() -> None:
    index = KeywordIndex(ALL)
    for query in ("tide", "the ferry and the boats", "nothing of it", "tabs tide home boats"):
        assert index.rank(query, 3) == keyword_rank(query, ALL, 3)


def test_the_terms_can_be_others() -> None:
    plain = KeywordIndex(ALL, words)
    assert names(plain.rank("tides", 5)) == []
    assert names(plain.rank("the", 5)) != []


@pytest.mark.slow
def test_the_order_does_not_hang_on_the_seed_of_hashing() -> None:
    code = (
        "from tests.unit.recall.helpers import header, names\n"
        "from memlab.recall import keyword_rank\n"
        "made = [header(f'{n}.md', f'tide {w} fact rope') for n, w in enumerate('abcdefgh')]\n"
        "print(names(keyword_rank('rope fact tide b g h', made, 8)))\n"
    )
    told = set()
    for seed in ("1", "2"):
        env = {"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)}
        done = subprocess.run(
            [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
        )
        told.add(done.stdout)
    assert len(told) == 1


def test_the_work_of_an_index_grows_with_its_headers_and_that_of_a_question_hardly() -> None:
    chance = random.Random(3)
    vocabulary = [f"{first}{second}ing" for first in "abcdefghkl" for second in ("rope", "sail")]
    vocabulary += [f"word{number}" for number in range(400)]

    def line() -> str:
        return " ".join(chance.choices(vocabulary, k=14))

    many = [header(f"{number}-{chance.choice(vocabulary)}.md", line()) for number in range(2_000)]
    assert calls(lambda: KeywordIndex(many[:200])) < 200 * 150
    assert calls(lambda: KeywordIndex(many)) < 2_000 * 150
    small, large = KeywordIndex(many[:200]), KeywordIndex(many)
    query = line()
    assert small.rank(query, 5)
    assert calls(lambda: small.rank(query, 5)) < 500
    assert calls(lambda: large.rank(query, 5)) < 2_000


def test_a_long_word_made_of_endings_is_cut_in_linear_time() -> None:
    assert stem("es" * 20_000) == "ese"
    assert stem("es" * 20_000 + "x") == "es" * 20_000 + "x"
    assert stem("testingsments") == "test"
