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


def texts(rng):
    ends = "a word is a run of letters and digits, and anything else ends it"
    stopped = "stop words are left out, in upper case as well"
    for rule, known in (
        (
            ends,
            (
                "tide\nboard",
                "floor_to_five",
                "tables/brannay-2026.csv",
                "Tuva's key, don't lose it",
                "17:10 ferry; late?!",
                "“SQL” first…",
                "Müller bakes crêpes",
                "platform 7",
                "utf8 16GB",
            ),
        ),
        (
            stopped,
            (
                "How are the tests run?",
                "Thanks, that is all for now",
                "Which boat? The red one.",
                "The istle is in the theatre",
            ),
        ),
        (
            "each word is changed to lower case, and not in any other way",
            ("Straße", "CAFÉ ÎLE", "tests of testing"),
        ),
        (
            "the words keep their order, and a word may occur twice",
            ("tide, board, tide", "", " \n"),
        ),
    ):
        for text in known:
            yield Case((text,), rule)
    known = "tide board 2026 sql 16 Gullwing USB Easter the The is IS how"
    between = (" ", ", ", "\n", "\t", " (", "? ", "/", "-", "_", " — ", "'")
    for _ in range(15):
        words = [
            rng.choice(known.split()) + rng.choice(between)
            for _ in range(rng.randint(1, 9))
        ]
        yield Case((rng.choice(("", "(", '"')) + "".join(words),))


terms = Gap(
    name="terms",
    place="memlab.text.terms",
    cases=texts,
    hints=(
        "`text.lower().split()` is a start. Which characters are still"
        " attached to the words?",
        "`character.isalnum()` is true for letters and digits. What happens if"
        " you replace every other character by a space first, and split"
        " afterwards?",
        "Compare with `STOP_WORDS` last, when the words are in lower case and"
        " nothing is attached to them.",
    ),
    why="It splits the text into runs of letters and digits in lower case, so"
    " nothing is attached to a word any more, and each can be looked up in the"
    " set.",
    wrong=(
        ("words(text)", 're.findall(r"\\w+", text.lower())', "ends it"),
        ("words(text)", 're.findall("[a-z0-9]+", text.lower())', "ends it"),
        ("words(text)", "text.lower().split()", "ends it"),
        (
            "[word for word in words(text)",
            "[word.lower() for word in re.findall(r'[^\\W_]+', text)",
            "in upper case as well",
        ),
        ("words(text)", "words(text.casefold())", "not in any other way"),
        ("[word for", "[stem(word) for", "a run of letters"),
        (
            "[word for word in words(text)",
            "[word for word in dict.fromkeys(words(text))",
            "may occur twice",
        ),
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
    """Let the learner's ranking search the file names, too, as memlab's does.

    The description that it gets ends with the words of the file name, and what
    it returns are the headers as they were.
    """

    def rank(query, headers, limit):
        longer, before = [], {}
        for header in headers:
            before[header.filename] = header
            words = header.filename.removesuffix(".md").replace("-", " ")
            text = f"{header.description} {words}"
            longer.append(replace(header, description=text))
        chosen = mine(query, longer, limit)
        return [before[header.filename] for header in chosen]

    return rank


def watch_ranking(mine, query, rows, limit):
    """Return the file names of the headers, in their order."""
    headers = [
        MemoryHeader(
            Path(filename),
            filename,
            datetime(2026, 3, 1, tzinfo=UTC) + timedelta(days=day),
            name,
            description,
            None,
        )
        for filename, day, name, description in rows
    ]
    found = mine(query, list(headers), limit)
    if isinstance(found, list):
        return [
            f"the header of {each.filename}" if each in headers else each
            for each in found
        ]
    return found


def ranking_call(query, rows, limit):
    lines = [f"keyword_rank({query!r}, headers, {limit}), and headers has:"]
    for filename, day, name, description in rows:
        moment = datetime(2026, 3, 1) + timedelta(days=day)
        title = f"{name!r}, " if name else ""
        lines.append(
            f"    {filename}, {moment:%d %b %H:%M}, {title}{description!r}"
        )
    return "\n".join(lines)


def rankings(rng):
    tabs = ("m1.md", 1, "", "indentation is by tabs")
    tide = ("m2.md", 1, "", "which table of tides we print")
    ferry = ("m3.md", 1, "The ferry home", "when work stops")
    for query, rows in (
        ("What indentation is it?", (tide, tabs)),
        ("How are you today?", (tabs, tide)),
        ("Which is it, and when?", (tabs, tide, ferry)),
        ("anything", ()),
    ):
        yield Case(
            (query, rows, 5), "a header that shares no stem is left out"
        )
    rule = "tides and tide are one stem"
    yield Case(("Printing the TIDE?", (tabs, tide), 5), rule)
    rule = "the stems of the name count as well as those of the description"
    yield Case(("home, please", (tabs, ferry), 5), rule)
    twins = [
        (name, day, "", "price boat")
        for name, day in (("p3.md", 3), ("p1.md", 3), ("p2.md", 9))
    ]
    rule = "if scores are equal, the newer header comes first, then a before b"
    yield Case(("boat price", twins, 5), rule)
    later = [twins[1], ("p0.md", 2.9, "", "price boat")]
    yield Case(("boat price", later, 5), rule)
    same_day = [("p1.md", 3, "", "price"), ("p2.md", 3.5, "", "price")]
    rule = "the newer header comes first, even if both are from the same day"
    yield Case(("price", same_day, 5), rule)
    for limit in (2, 1, 0):
        yield Case(("boat price", twins, limit), "limit is how many at most")
    some = [(f"s{number}.md", 1, "", "the tide") for number in range(4)]
    rare = ("yard.md", 1, "", "lantern yard")
    rule = "a stem that few headers contain counts more than a common one"
    yield Case(("tide lantern", [*some, rare], 5), rule)
    both = [(f"c{number}.md", 1, "", "kayak ferry") for number in range(3)]
    rule = "add up the weights, with count and total those of these headers"
    yield Case(("kayak ferry lantern", [*both, rare], 5), rule)
    others = [(f"r{number}.md", 1, "", "a jacket") for number in range(6)]
    for count in (2, 3, 4, 5, 6):
        rule = "total is how many headers there are, not how many share a stem"
        rows = [*both, rare, *others[:count]]
        yield Case(("kayak ferry lantern", rows, 5), rule)
    repeated = [
        ("r1.md", 1, "", "tide tide tide radio"),
        ("r2.md", 2, "", "tide jacket"),
        ("r3.md", 1, "", "ferry garden"),
        ("r4.md", 1, "", "window"),
    ]
    rule = "a stem counts once, however often it occurs"
    yield Case(("tide tide tide ferry", repeated, 5), rule)
    twice = ("r1.md", 1, "Tide", "tide radio")
    yield Case(("tide ferry", [twice, *repeated[1:]], 5), rule)
    rule = "count is how many headers contain the stem, however often"
    rows = [("r5.md", 1, "Ferry", "ferry ride"), ("r6.md", 9, "", "radio")]
    rows += [("r7.md", 8, "", "radio"), repeated[3]]
    yield Case(("ferry radio", rows, 5), rule)
    for _ in range(25):
        yield random_ranking(rng)


def random_ranking(rng):
    """Draw headers that share at most two stems with the query: the order of
    two numbers makes no difference to their sum.
    """
    known = "kayak ferry harbour lantern paddle ticket window garden"
    nouns = known.split()
    rng.shuffle(nouns)
    rows = []
    for number in rng.sample(range(10), rng.randint(4, 9)):
        words = rng.sample(nouns[:3], rng.choice((0, 1, 1, 1, 2)))
        words += rng.choices(nouns[3:], k=rng.randint(1, 2))
        words = [word + rng.choice(("", "", "s")) for word in words]
        rng.shuffle(words)
        name = words[0].title() if rng.random() < 0.4 else ""
        words = words[rng.randint(0, 1) :]
        row = (f"m{number}.md", rng.randint(1, 5), name, " ".join(words))
        rows.append(row)
    return Case((f"the {' '.join(nouns[:3])}?", rows, rng.choice((2, 5, 9))))


KEYWORD_RANK = Gap(
    name="keyword_rank",
    place="memlab.recall.keyword.keyword_rank",
    answer=keyword_rank,
    enters=with_file_names,
    cases=rankings,
    watch=watch_ranking,
    call=ranking_call,
    hints=(
        "Work out the stems of all headers first, as a list of sets. Then the"
        " count of a stem is the number of sets that contain it.",
        "`asked & found` is the set of the stems that the query and one header"
        " share. Add up `weight(count, len(headers))` over it.",
        "To sort by several things, sort by a tuple: `(-score,"
        " -header.mtime.timestamp(), header.filename)`. The minus signs put"
        " the largest score and the newest header first.",
    ),
    why="A rare stem has a large weight, so a header that shares the one rare"
    " stem of a query comes before a header that shares a common one, and a"
    " header that shares nothing is not returned.",
    wrong=(
        ("if score > 0:", "if True:", "shares no stem"),
        ("{header.name} {", "{", "of the name count as well"),
        (
            "-header.mtime.timestamp()",
            "header.mtime.timestamp()",
            "the newer header comes first",
        ),
        ("entry[:3]", "entry[:2]", "then a before b"),
        (
            "-header.mtime.timestamp()",
            "-header.mtime.toordinal()",
            "from the same day",
        ),
        ("ranked[:limit]", "ranked[:limit or None]", "how many at most"),
        ("weight(count, len(headers))", "1", "counts more than a common one"),
        ("len(headers))", "20)", "those of these headers"),
        (
            "weight(count, len(headers))",
            "weight(count, sum(bool(asked & one) for one in described))",
            "how many headers there are",
        ),
        (
            "for shared in sorted(asked & found):",
            "for shared in map(stem, my.terms(query)):\n"
            "            if shared not in found:\n"
            "                continue",
            "a stem counts once",
        ),
    ),
)


def answers(rng):
    key = "selected_memories"
    rule = "names have no white space around them"
    for names in (["tabs.md"], ["tabs.md", " ferry.md"], ["tabs.md\n\t"]):
        yield Case((json.dumps({key: names}),), rule)
    rule = "text before the first { and after the last } is ignored"
    for answer in (
        f'Here you are: {{"{key}": []}}',
        f'```json\n{{"{key}": ["a.md"]}}\n```',
        f'My choice:\n{{\n "{key}": [\n  "a.md",\n  "b.md"\n ]\n}}',
        f'{{"why": ["it fits"], "{key}": ["a.md"], "n": {{"of": 1}}}}',
        f'{{"{key}": ["a.md"], "sure": true}} Bye ]',
        f'[1] {{"{key}": ["a}}b.md"]}}',
    ):
        yield Case((answer,), rule)
    rule = "apart from white space around them, names stay as they are"
    for names in (
        ["../x.md", "a b.md", "../x.md"],
        ["tabs", "README.md", "my  tabs.md"],
        [" ", "a.md"],
        ["robin's.md", "grün.md"],
        [f"m{number}.md" for number in range(7)],
    ):
        yield Case((json.dumps({key: names}, ensure_ascii=False),), rule)
    rule = "if the names can't be read, the function raises ValueError"
    for answer in (
        "I would not attach any.",
        '{"memories": ["a.md"]}',
        f'{{"{key}": "a.md"}}',
        f'{{"{key}": null}}',
        f'{{"{key}": {{"a.md": 1}}}}',
        f'{{"{key}": ["a.md"',
        f'{{"{key}": ["a.md",]}}',
        f'{{"{key}": ["a.md"]}} or {{nothing}}',
        "} nothing {",
        '["a.md"]',
        "",
    ):
        yield Case((answer,), rule)
    for _ in range(8):
        names = [f"m{rng.randint(1, 99)}.md" for _ in range(rng.randint(1, 5))]
        text = json.dumps({key: names}, indent=rng.choice((None, 1)))
        before = rng.choice(("", "Sure. ", "\n", "[1] I chose:\n"))
        after = rng.choice(("", " Done.", "\n", "\n```", " ] that's it"))
        yield Case((before + text + after,))


read_choice = Gap(
    name="read_choice",
    place="memlab.recall.selection.read_choice",
    cases=answers,
    raises=(ValueError,),
    hints=(
        '`answer.find("{")` is the position of the first `{`, and'
        ' `answer.rfind("}")` that of the last `}`. What do they return if'
        " there is none?",
        "`json.loads` raises a `JSONDecodeError` for anything that isn't JSON,"
        " and that is a `ValueError` already.",
        "A missing key raises `KeyError`, which is not a `ValueError`. And a"
        " string can be looped over like a list, so test the type with"
        " `isinstance`.",
    ),
    why="Everything between the outermost braces is parsed strictly, so the"
    " answer is either a list of names or a `ValueError`, and never half a"
    " choice.",
    wrong=(
        ("name.strip() if", "name if", "no white space"),
        ('answer[answer.find("{") :', "answer[:", "text before the first {"),
        ('rfind("}")', 'find("}")', "after the last }"),
        ("name.strip()", "name.strip().lower()", "stay as they are"),
        ("in names\n", "in dict.fromkeys(names)\n", "stay as they are"),
        (
            'found.get("selected_memories")',
            'found["selected_memories"]',
            "raises ValueError",
        ),
        ('_memories")\n', '_memories", [])\n', "raises ValueError"),
        ("not isinstance(names, list)", "names is None", "raises ValueError"),
    ),
)


def budgets(rng):
    three = {"a.md": 300, "b.md": 900, "c.md": 200}
    names = list(three)
    rule = "a name in shown is not returned, and takes no bytes"
    for shown in (["b.md"], ["a.md", "c.md"], [], ["d.md"], names):
        yield Case((names, shown, three, 9_000), rule)
    yield Case((names, ["a.md"], three, 1_150), rule)
    rule = "two names are the same only if every character is the same"
    other = {"Tabs.md": 10, "tabs.md": 10, "work/tabs.md": 10}
    for shown in (["old-tabs.md"], ["tabs.md"], ["Tabs.md"]):
        yield Case((list(other), shown, other, 100), rule)
    rule = "a name that was chosen twice is returned once, at its first place"
    for twice in (
        ["a.md", "b.md", "a.md"],
        ["c.md", "c.md", "a.md", "c.md"],
    ):
        yield Case((twice, [], three, 9_000), rule)
    yield Case((["a.md", "b.md", "a.md"], ["a.md"], three, 9_000), rule)
    rule = "a memory that is taken twice uses its bytes up once"
    yield Case((["a.md", "a.md", "c.md"], [], three, 550), rule)
    rule = "a memory may use all the bytes that are left"
    yield Case((["a.md"], [], three, 300), rule)
    yield Case((["a.md", "c.md"], [], three, 500), rule)
    rule = "a memory that is taken leaves less room for the next"
    for left in (499, 300, 199, 0):
        yield Case((["a.md", "c.md"], [], three, left), rule)
    rule = "one that doesn't fit is passed over, and the next one is tried"
    yield Case((names, [], three, 600), rule)
    yield Case((["b.md", "b.md", "c.md"], [], three, 600), rule)
    sizes = {"a.md": 5, "b.md": 4, "c.md": 3, "d.md": 2, "e.md": 1}
    yield Case((list(sizes), [], sizes, 2), rule)
    rule = "the order is that of names, whatever the sizes are"
    for left in (5, 6, 8, 15):
        yield Case((["c.md", "a.md", "b.md", "e.md"], [], sizes, left), rule)
    rule = "a memory of 0 bytes always fits"
    yield Case((["a.md", "z.md"], [], {"a.md": 5, "z.md": 0}, 5), rule)
    yield Case(([], ["a.md"], three, 5), "there may be no name")
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
        "Build a new list, name by name. When is a name added to it?",
        "A name that was chosen twice is in your new list when you meet it for"
        " the second time.",
        "Each memory that you take leaves less room for the next one. One that"
        " is too large doesn't end the search: a smaller one may follow.",
    ),
    why="The most useful memory is considered first, so it gets whatever room"
    " there is. A memory that was shown, or is too large, is only passed over,"
    " so a smaller one after it can still be taken.",
    wrong=(
        ("name in shown or ", "", "a name in shown"),
        ("name in shown", 'name in " ".join(shown)', "every character"),
        ("name in shown", "name.lower() in shown", "every character"),
        (" or name in taken", "", "returned once"),
        ("<= left", "< left", "all the bytes"),
        ("            left -= sizes[name]\n", "", "leaves less room"),
        (
            "    return taken",
            "        else:\n            break\n    return taken",
            "is passed over",
        ),
        ("for name in names:", "for name in sorted(names):", "first place"),
        ("            continue", "            break", "in shown"),
        ("if sizes[name] <=", "if 0 < sizes[name] <=", "0 bytes"),
    ),
)
