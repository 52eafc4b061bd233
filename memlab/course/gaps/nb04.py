"""The gaps of notebook 04: recall."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memlab.course import my
from memlab.course.gap import Case, Gap
from memlab.memdir.scan import MemoryHeader
from memlab.text import stem

TEXTS = {
    "a word is a run of letters and digits, and anything else ends it": (
        "tide\nboard | floor_to_five | a/b-2026.csv | 17:10 ferry; late?! | its key, “don't lose”"
        " it… | Müller bakes crêpes | utf8 16GB on 7"
    ),
    "stop words are left out, in upper case as well": (
        "How are the tests run? | Thanks, that is all | The istle is in the theatre"
    ),
    "each word is changed to lower case, and not in any other way": (
        "Straße | CAFÉ ÎLE | tests of testing"
    ),
    "the words keep their order, and a word may occur twice": "tide, board, tide |  \n",
}


def texts(rng):
    for rule, known in TEXTS.items():
        for text in known.split(" | "):
            yield Case((text,), rule)
    yield Case(("",))
    words = "tide board 2026 sql 16 Gullwing USB Easter the The is IS how"
    ends = (" ", ", ", "\n", "\t", " (", "? ", "/", "-", "_", " — ", "'")
    for _ in range(15):
        some = rng.choices(words.split(), k=rng.randint(1, 9))
        yield Case(("".join(word + rng.choice(ends) for word in some),))


terms = Gap(
    name="terms",
    place="memlab.text.terms",
    cases=texts,
    hints=(
        "`text.lower().split()` leaves characters attached to the words. What if you replace each"
        " one for which `character.isalnum()` is false by a space first?",
        "Compare with `STOP_WORDS` last, when the words are in lower case.",
    ),
    why="It splits the text into runs of letters and digits in lower case, so nothing is attached"
    " to a word, and each can be looked up in the set.",
    wrong=(
        ("words(text)", 're.findall(r"\\w+", text.lower())', "ends it"),
        ("words(text)", 're.findall("[a-z0-9]+", text.lower())', "ends it"),
        ("words(text)", "text.lower().split()", "ends it"),
        (
            "word not in STOP_WORDS",
            "word not in STOP_WORDS - {'how', 'thanks'}",
            "in upper",
        ),
        ("words(text)", "words(text.casefold())", "not in any other way"),
        ("words(text)", "dict.fromkeys(words(text))", "may occur twice"),
    ),
)


def stems(text):
    """Return the stems of a text's terms, as a set."""
    return {stem(term) for term in my.terms(text)}


def weight(count, total):
    """Return the weight of a term that is in count of total memories."""
    return math.log(1 + (total - count + 0.5) / (count + 0.5))


def keyword_rank(query, headers, limit):
    """Return the headers that share a stem with the query, best first."""
    asked = stems(query)
    described = [
        stems(f"{header.name} {header.description}") for header in headers
    ]
    ranked = []
    for header, found in zip(headers, described, strict=True):
        score = 0
        for shared in sorted(asked & found):
            count = sum(shared in other for other in described)
            score += weight(count, len(headers))
        if score > 0:
            newest_first = -header.mtime.timestamp()
            ranked.append((-score, newest_first, header.filename, header))
    ranked.sort(key=lambda entry: entry[:3])
    return [entry[3] for entry in ranked[:limit]]


def with_file_names(mine, own):
    """Let the learner's ranking search the file names, too, as memlab's does:
    the description that it gets ends with their words.
    """

    def rank(query, headers, limit):
        before = {header.filename: header for header in headers}
        longer = []
        for header in headers:
            words = header.filename.removesuffix(".md").replace("-", " ")
            text = f"{header.description} {words}"
            longer.append(replace(header, description=text))
        return [before[each.filename] for each in mine(query, longer, limit)]

    return rank


def watch_ranking(mine, query, rows, limit):
    headers = []
    for file, day, name, text in rows:
        moment = datetime(2026, 2, 28, tzinfo=UTC) + timedelta(days=day)
        headers.append(
            MemoryHeader(Path(file), file, moment, name, text, None)
        )
    found = mine(query, list(headers), limit)
    if not isinstance(found, list):
        return found
    return [f"header of {h.filename}" if h in headers else h for h in found]


def ranking_call(query, rows, limit):
    shown = "".join(f"\n    {row}" for row in rows)
    return (
        f"keyword_rank({query!r}, headers, {limit}), and headers has\n"
        f"    (filename, day of March, name, description):{shown}"
    )


TABS = ("m1.md", 1, "", "indentation is by tabs")
TIDE = ("m2.md", 1, "The tide at home", "which table of tides we print")
TWINS = [
    (f"p{n}.md", day, "", "price boat") for n, day in ((3, 3), (1, 3), (2, 9))
]
HOURS = [("p1.md", 3, "", "price"), ("p2.md", 3.5, "", "price")]
COMMON = [(f"c{n}.md", 1, "", "kayak ferry") for n in range(3)]
RARE = [*COMMON, ("yard.md", 1, "", "lantern yard")]
JACKETS = [(f"r{n}.md", 1, "", "a jacket") for n in range(6)]
REST = [("r2.md", 2, "", "tide radio"), ("r3.md", 1, "", "ferry"), JACKETS[4]]
TWICE = [("r1.md", 1, "Tide", "tide tide cup"), *REST]
RADIOS = [(f"r{n}.md", 9, "", "radio") for n in (6, 7)]
COUNTS = [("r5.md", 1, "Ferry", "ferry ride"), *RADIOS, JACKETS[4]]
RANKINGS = (
    (
        "a header that shares no stem is left out",
        "What indentation?",
        [TIDE, TABS],
    ),
    (
        "a header that shares no stem is left out",
        "How are you today?",
        [TABS, TIDE],
    ),
    ("there may be no headers", "anything", []),
    ("tides and tide are one stem", "Printing the TIDE?", [TABS, TIDE]),
    ("the stems of the name count as well", "home, please", [TABS, TIDE]),
    (
        "if scores are equal, the newer comes first, then a before b",
        "boat price",
        TWINS,
    ),
    (
        "the newer comes first, even if both are from the same day",
        "price",
        HOURS,
    ),
    (
        "a stem that few headers contain counts more than a common one",
        "ferry yard",
        RARE,
    ),
    (
        "add up the weights of the stems that are shared",
        "kayak ferry lantern",
        RARE,
    ),
    (
        "total is how many headers there are",
        "kayak ferry lantern",
        RARE + JACKETS[:2],
    ),
    (
        "total is how many headers there are",
        "kayak ferry lantern",
        RARE + JACKETS[:4],
    ),
    (
        "total is how many headers there are",
        "kayak ferry lantern",
        RARE + JACKETS,
    ),
    (
        "a stem counts once, however often it occurs",
        "tide tide tide ferry",
        TWICE,
    ),
    (
        "count is how many headers contain the stem, however often",
        "ferry radio",
        COUNTS,
    ),
)


def rankings(rng):
    for rule, query, rows in RANKINGS:
        yield Case((query, rows, 5), rule)
    for limit in (2, 0):
        yield Case(("boat", TWINS, limit), "limit is how many at most")
    nouns = ("kayak", "ferry", "harbour", "lantern", "paddle", "tickets")
    for _ in range(25):
        rows = []
        for number in rng.sample(range(10), rng.randint(4, 9)):
            asked = rng.sample(nouns[:3], rng.choice((0, 1, 1, 2)))
            text = " ".join([*asked, *rng.choices(nouns[3:], k=2)])
            name = rng.choice(("", "Lanterns"))
            rows.append((f"m{number}.md", rng.randint(1, 5), name, text))
        # A header shares at most two stems: the order of two doesn't change a sum.
        yield Case(
            ("the kayaks, ferry, harbours?", rows, rng.choice((2, 5, 9)))
        )


KEYWORD_RANK = Gap(
    name="keyword_rank",
    place="memlab.recall.keyword.keyword_rank",
    answer=keyword_rank,
    enters=with_file_names,
    cases=rankings,
    watch=watch_ranking,
    call=ranking_call,
    hints=(
        "Work out the stems of all headers first, as a list of sets. Then the count of a stem is"
        " the number of sets that contain it.",
        "`asked & found` is the set of the stems that the query and one header share. Add up"
        " `weight(count, len(headers))` over it.",
        "To sort by several things, sort by a tuple: `(-score, -header.mtime.timestamp(),"
        " header.filename)`.",
    ),
    why="A header that shares the one rare stem of a query comes before a header that shares a"
    " common one, and a header that shares nothing is not returned.",
    wrong=(
        ("{header.name} {", "{", "of the name count"),
        ("entry[:3]", "entry[:2]", "then a before b"),
        (".mtime.timestamp()", ".mtime.toordinal()", "from the same day"),
        ("weight(count, len(headers))", "1", "counts more than a common one"),
        (
            "len(headers))",
            "sum(bool(asked & d) for d in described))",
            "how many headers",
        ),
        (
            "in sorted(asked & found):",
            "in map(stem, my.terms(query)):",
            "no stem",
        ),
    ),
)

ANSWERS = {  # KEY is selected_memories, and "|" stands between two answers
    "names have no white space around them": (
        '{"KEY": ["tabs.md", " ferry.md"]}|{"KEY": ["tabs.md\\n\\t"]}'
    ),
    "text before the first { and after the last } is ignored": (
        'Here you are: {"KEY": []}|```json\n{\n "KEY": ["a.md",\n  "b.md"]\n}\n```|{"n": {"of": 1},'
        ' "KEY": ["a.md"], "m": {}}|{"KEY": ["a.md"], "sure": true} Bye ]|[1] {"KEY": ["a}b.md"]}'
    ),
    "apart from white space around them, names stay as they are": (
        '{"KEY": ["../x.md", "a b.md", "../x.md"]}|{"KEY": ["tabs", "README.md", "my  a.md", " "]}|'
        '{"KEY": ["robin\'s.md", "grün.md", "1", "2", "3", "4", "5"]}'
    ),
    "if the names can't be read, the function raises ValueError": (
        'No|{"memories": ["a.md"]}|{"KEY": "a.md"}|{"KEY": null}|{"KEY": {"a.md": 1}}|{"KEY": ["a"'
        '|{"KEY": ["a.md",]}|{"KEY": ["a.md"]} or {nothing}|} {|["a"]|'
    ),
}


def answers(rng):
    for rule, known in ANSWERS.items():
        for answer in known.replace("KEY", "selected_memories").split("|"):
            yield Case((answer,), rule)
    for _ in range(8):
        names = [f"m{rng.randint(1, 99)}.md" for _ in range(rng.randint(1, 5))]
        text = json.dumps({"selected_memories": names})
        before = rng.choice(("", "Sure. ", "\n", "[1] I chose:\n"))
        yield Case(
            (
                before
                + text
                + rng.choice(("", " Done.", "\n```", " ] that's it")),
            )
        )


read_choice = Gap(
    name="read_choice",
    place="memlab.recall.selection.read_choice",
    cases=answers,
    raises=(ValueError,),
    hints=(
        '`answer.find("{")` is the position of the first `{`, and `answer.rfind("}")` that of the'
        " last `}`. `json.loads` raises a ValueError for what isn't JSON.",
        "A missing key raises KeyError, which is not a ValueError. And a string can be looped over"
        " like a list, so test the type with `isinstance`.",
    ),
    why="Everything between the outermost braces is parsed strictly, so the answer is either a list"
    " of names or a `ValueError`, and never half a choice.",
    wrong=(
        ("name.strip() if", "name if", "no white space"),
        ('answer[answer.find("{") :', "answer[:", "text before the first {"),
        ('rfind("}")', 'find("}")', "after the last }"),
        ("in names\n", "in dict.fromkeys(names)\n", "stay as they are"),
        (
            'found.get("selected_memories")',
            'found["selected_memories"]',
            "raises ValueError",
        ),
        ("not isinstance(names, list)", "names is None", "raises ValueError"),
    ),
)

ABC = {"a.md": 300, "b.md": 900, "c.md": 200}
TABS_MD = {"Tabs.md": 10, "tabs.md": 10, "work/tabs.md": 10}
DOWN = {"a.md": 5, "b.md": 4, "c.md": 3, "d.md": 2, "e.md": 1, "z.md": 0}
BUDGETS = (
    ("a name in shown is not returned", "abc-b", ABC, 9_000),
    ("a name in shown is not returned", "abc-abcd", ABC, 9_000),
    ("a name in shown takes no bytes", "abc-a", ABC, 1_150),
    (
        "a name that was chosen twice is returned once, at its first place",
        "ccac-",
        ABC,
        900,
    ),
    ("a name that was chosen twice is returned once", "aba-a", ABC, 9_000),
    ("a memory that is taken twice uses its bytes up once", "aac-", ABC, 550),
    ("a memory may use all the bytes that are left", "ac-", ABC, 500),
    ("a memory that is taken leaves less room for the next", "ac-", ABC, 499),
    ("a memory that is taken leaves less room for the next", "ac-", ABC, 300),
    (
        "one that doesn't fit is passed over, and the next one is tried",
        "abc-",
        ABC,
        600,
    ),
    (
        "one that doesn't fit is passed over, and the next one is tried",
        "bbc-",
        ABC,
        600,
    ),
    ("the order is that of names, whatever the sizes are", "cabe-", DOWN, 5),
    ("the order is that of names, whatever the sizes are", "cabe-", DOWN, 8),
    ("a memory of 0 bytes always fits", "az-", DOWN, 5),
    ("there may be no name", "-a", DOWN, 5),
)


def budgets(rng):
    for rule, letters, sizes, left in BUDGETS:
        names, shown = letters.split("-")
        files = (
            [f"{name}.md" for name in names],
            [f"{name}.md" for name in shown],
        )
        yield Case((*files, sizes, left), rule)
    rule = "two names are the same only if every character is the same"
    for name in ("old-tabs.md", "tabs.md", "Tabs.md"):
        yield Case((list(TABS_MD), [name], TABS_MD, 100), rule)
    for _ in range(20):
        sizes = {f"m{n}.md": rng.randint(50, 900) for n in range(7)}
        names = rng.choices(list(sizes), k=rng.randint(2, 9))
        shown = rng.sample(list(sizes), rng.randint(0, 3))
        yield Case((names, shown, sizes, rng.randint(300, 1_800)))


names_to_attach = Gap(
    name="names_to_attach",
    place="memlab.recall.selection.names_to_attach",
    cases=budgets,
    hints=(
        "Build a new list, name by name. A name that was chosen twice is in it when you meet it for"
        " the second time.",
        "Each memory that you take leaves less room for the next one. One that is too large doesn't"
        " end the search: a smaller one may follow.",
    ),
    why="The most useful memory is considered first, so it gets whatever room there is, and a"
    " smaller one after one that is too large can still be taken.",
    wrong=(
        ("name in shown", 'name in " ".join(shown)', "every character"),
        ("name in shown or ", "", "a name in shown"),
        (" or name in taken", "", "returned once"),
        ("<= left", "< left", "all the bytes"),
        ("            left -= sizes[name]\n", "", "leaves less room"),
        ("if sizes[name] <=", "if 0 < sizes[name] <=", "0 bytes"),
    ),
)
