"""The gaps of notebook 04: recall."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memlab.course import my
from memlab.course.gap import Case, Gap
from memlab.course.gaps.nb01 import rows
from memlab.memdir.scan import MemoryHeader
from memlab.text import stem

TEXTS = (
    "anything but letters and digits ends a word | tide\nboard | floor_to_five | a/b-2026.csv",
    "anything but letters and digits ends a word | 17:10 ferry; late?! | its key, “don't lose” it…",
    "the letters of every language count | Müller bakes crêpes | utf8 16GB on 7",
    "stop words are left out, in upper case as well | How are the tests? | Thanks | The istle is",
    "each word is changed to lower case, and not in any other way | Straße | CAFÉ ÎLE | testing",
    "the words keep their order, and a word may occur twice | tide, board, tide |  \n | ",
)


def texts(rng):
    for rule, text in rows(TEXTS):
        yield Case((text,), rule)
    words = (
        "tide, ",
        "Board/",
        "2026 ",
        "the ",
        "IS\n",
        "How? ",
        "16\t",
        "sql_",
    )
    for _ in range(15):
        yield Case(("".join(rng.choices(words, k=9)),))


terms = Gap(
    name="terms",
    place="memlab.text.terms",
    cases=texts,
    hints=(
        "Before `text.lower().split()`, replace characters that aren't `isalnum()` with spaces.",
        "Compare with `STOP_WORDS` last, when the words are in lower case.",
    ),
    why="In lower case, and without punctuation attached, each word can be looked up in the set.",
    wrong=(
        ("words(text)", 're.findall(r"\\w+", text.lower())', "ends a word"),
        (
            "words(text)",
            're.findall("[a-z0-9]+", text.lower())',
            "every language",
        ),
        ("STOP_WORDS", "STOP_WORDS - {'how', 'thanks'}", "in upper"),
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
    described = [stems(f"{each.name} {each.description}") for each in headers]
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


def watch_ranking(mine, query, headers, limit):
    found = []
    for file, row in headers.items():
        day, name, text = row.split(";")
        moment = datetime(2026, 2, 28, tzinfo=UTC) + timedelta(float(day))
        found.append(MemoryHeader(Path(file), file, moment, name, text, None))
    ranked = mine(query, list(found), limit)
    if not isinstance(ranked, list):
        return ranked
    return [f"header of {h.filename}" if h in found else h for h in ranked]


def ranking_call(query, headers, limit):
    return (
        f"keyword_rank({query!r}, headers, {limit}), where headers contains\n"
        f"    (as 'day of March;name;description'): {headers}"
    )


HEADERS = {  # the files a.md, b.md and so on
    "a": "1;;indentation is by tabs",
    "b": "1;The tide at home;which table of tides we print",
    "ec": "3;;price boat",
    "d": "9;;price boat",
    "f": "3;;price",
    "g": "3.5;;price",
    "hij": "1;;kayak ferry",
    "k": "1;;lantern yard",
    "lmnopq": "1;;a jacket",
    "r": "1;Tide;tide tide cup",
    "s": "2;;tide radio",
    "u": "1;Ferry;ferry ride",
    "vw": "9;;radio",
}
RANKINGS = (
    "a header that shares no stem is left out | What indentation?: ba | How are you today?: ab",
    "there may be no headers | anything:",
    "tides and tide have the same stem | Printing the TIDE?: ab",
    "the stems of the name count as well | home, please: ab",
    "if scores are equal, the newer comes first, then a before b | boat price: ecd",
    "the newer comes first, even if both are from the same day | price: fg",
    "a stem that few headers contain counts more than a common one | ferry yard: hijk",
    "add up the weights of the shared stems | kayak ferry lantern: hijk",
    "total counts all headers | kayak ferry lantern: hijklmno | kayak ferry lantern: hijklmnopq",
    "a stem counts once, however often it occurs | tide tide tide ferry: rsul",
    "count is how many headers contain the stem, however often | ferry radio: uvwl",
)


def rankings(rng):
    files = {file: HEADERS[key] for key in HEADERS for file in key}
    for rule, each in rows(RANKINGS):
        query, _, names = each.partition(":")
        headers = {f"{name}.md": files[name] for name in names.strip()}
        yield Case((query, headers, 5), rule)
    for limit in (2, 0):
        yield Case((query, headers, limit), "at most limit are returned")
    nouns = ("kayak", "ferry", "harbour", "lantern", "paddle", "tickets")
    for _ in range(25):
        headers = {}
        for number in rng.sample(range(10), rng.randint(4, 9)):
            # At most two shared stems: the order of two doesn't change a sum.
            asked = rng.sample(nouns[:2], rng.randint(0, 2))
            text = " ".join([*asked, *rng.choices(nouns[2:], k=2)])
            headers[f"m{number}.md"] = f"{rng.randint(1, 5)};Lanterns;{text}"
        yield Case(("kayaks, ferry?", headers, rng.choice((2, 5, 9))))


KEYWORD_RANK = Gap(
    name="keyword_rank",
    place="memlab.recall.keyword.keyword_rank",
    answer=keyword_rank,
    enters=with_file_names,
    cases=rankings,
    watch=watch_ranking,
    call=ranking_call,
    hints=(
        "First make a list with the stems of each header as a set: count is how many contain it.",
        "Add up `weight(count, len(headers))` over `asked & found`, the stems that are in both.",
        "Sort by a tuple: `(-score, -header.mtime.timestamp(), header.filename)`.",
    ),
    why="A header that shares the rare stem of a query comes before one that shares a common stem.",
    wrong=(
        ("{each.name} {", "{", "of the name count"),
        ("entry[:3]", "entry[:2]", "then a before b"),
        (".mtime.timestamp()", ".mtime.toordinal()", "from the same day"),
        ("weight(count, len(headers))", "1", "counts more than a common one"),
        (
            "len(headers))",
            "len([d for d in described if asked & d]))",
            "total",
        ),
    ),
)

ANSWERS = (  # KEY is "selected_memories":
    'names have no white space around them | {KEY ["tabs.md", " ferry.md"]} | {KEY ["a.md\\n\\t"]}',
    "text before the first { and after the last } is ignored | Here you are: {KEY []}",
    'text before the first { is ignored | ```json\n{\n KEY ["a.md",\n  "b.md"]\n}\n```',
    'text after the last } is ignored | {"n": {"of": 1}, KEY ["a.md"], "m": {}} | {KEY []} Bye ]',
    'everything between { and } is one object | {KEY ["a.md"], "b": true} | [1] {KEY ["a}b.md"]}',
    'names stay as they are | {KEY ["../x.md", "a b.md", "../x.md"]} | {KEY ["README.md", " "]}',
    'names stay as they are | {KEY ["my  a.md", "it\'s.md", "grün.md", "1", "2", "3", "4", "5"]}',
    'if there is no such list, it raises ValueError | No |  | {"memories": ["a.md"]} | ["a"]',
    'if there is no such list, it raises ValueError | {KEY "a.md"} | {KEY null} | {KEY {"a": 1}}',
    'what is not JSON raises ValueError | {KEY ["a" | {KEY ["a.md",]} | {KEY ["a"]} or {no} | } {',
)


def answers(rng):
    for rule, answer in rows(ANSWERS):
        yield Case((answer.replace("KEY", '"selected_memories":'),), rule)
    for _ in range(8):
        names = [f"m{rng.randint(1, 99)}.md" for _ in range(rng.randint(1, 5))]
        text = json.dumps({"selected_memories": names})
        before = rng.choice(("", "Sure. ", "\n", "[1] I chose:\n"))
        after = rng.choice(("", " Done.", "\n```", " ] that's it"))
        yield Case((before + text + after,))


read_choice = Gap(
    name="read_choice",
    place="memlab.recall.selection.read_choice",
    cases=answers,
    raises=(ValueError,),
    hints=(
        '`answer.find("{")` finds the first `{`, and `answer.rfind("}")` the last `}`.',
        "A missing key raises KeyError, which is not a ValueError. And a string can be looped over"
        " like a list, so test the type with `isinstance`.",
    ),
    why="Everything between the outermost braces has to be valid JSON, so no choice is half read.",
    wrong=(
        ("name.strip() if", "name if", "no white space"),
        ('answer[answer.find("{") :', "answer[:", "before the first {"),
        ('rfind("}")', 'find("}")', "after the last }"),
        ("in names\n", "in dict.fromkeys(names)\n", "stay as they are"),
        ("not isinstance(names, list)", "names is None", "raises ValueError"),
    ),
)

SIZES = {"a.md": 300, "b.md": 900, "c.md": 200, "d.md": 100, "e.md": 0}
BUDGETS = (  # names-shown left
    "a name in shown is not returned | abc-b 9000 | abc-abcd 9000",
    "a name in shown takes no bytes | abc-a 1150",
    "a name that was chosen twice is returned once, at its first place | ccac- 900 | aba-a 9000",
    "a memory that was chosen twice uses up its bytes only once | aac- 550",
    "a memory may use all the bytes that are left | ac- 500",
    "a memory that is taken leaves less room for the next | ac- 499 | ac- 300",
    "one that doesn't fit is passed over, and the next one is tried | abc- 600 | bbc- 600",
    "the order is that of names, whatever the sizes are | cabd- 300 | cabd- 500",
    "a memory of 0 bytes always fits | ae- 5",
    "there may be no names | -a 5",
)


def budgets(rng):
    for rule, each in rows(BUDGETS):
        letters, left = each.split()
        chosen, shown = ([f"{x}.md" for x in y] for y in letters.split("-"))
        yield Case((chosen, shown, SIZES, int(left)), rule)
    tabs = {"Tabs.md": 10, "tabs.md": 10, "work/tabs.md": 10}
    for name in ("old-tabs.md", "tabs.md", "Tabs.md"):
        yield Case((list(tabs), [name], tabs, 99), "every character counts")
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
        "Build a new list, name by name: the second time a name comes, it is already in the list.",
        "Each memory that you take leaves less room for the next one. One that is too large doesn't"
        " end the search: a smaller one may follow.",
    ),
    why="The most useful memories come first, and one that is too large doesn't block the others.",
    wrong=(
        ("name in shown", 'name in " ".join(shown)', "every character"),
        ("name in shown or ", "", "a name in shown"),
        (" or name in taken", "", "returned once"),
        ("<= left", "< left", "all the bytes"),
        ("            left -= sizes[name]\n", "", "leaves less room"),
    ),
)
