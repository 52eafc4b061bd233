"""The gaps of notebook 01: reading and writing a header, naming a file."""

from __future__ import annotations

import json

import yaml

from memlab.course.gap import Case, Gap
from memlab.errors import MemoryFormatError
from memlab.memdir import frontmatter
from memlab.memdir.memory import MemoryType
from memlab.memdir.path_safety import slug


def parse_header(text: str) -> dict[str, str]:
    """Read a memory file into name, description, type and body."""
    nothing = {"name": "", "description": "", "type": "", "body": ""}
    lines = text.removeprefix("\ufeff").split("\n")
    fences = []
    for number, line in enumerate(lines):
        if line.removesuffix("\r") == "---":
            fences.append(number)
    if len(fences) < 2 or fences[0] != 0:
        return nothing
    end = fences[1]
    try:
        header = yaml.load("\n".join(lines[1:end]), Loader=yaml.BaseLoader)
    except yaml.YAMLError:
        return nothing
    if header is None:
        header = {}
    if not isinstance(header, dict):
        return nothing
    values = {}
    for key in ("name", "description", "type"):
        values[key] = header.get(key, "")
    metadata = header.get("metadata")
    if values["type"] == "" and isinstance(metadata, dict):
        values["type"] = metadata.get("type", "")
    for value in values.values():
        if not isinstance(value, str):
            return nothing
    values["body"] = "\n".join(lines[end + 1 :])
    return values


def in_scan(mine, own):
    def read_header(start, limit):
        # memlab's own refuses what is no memory, and says why
        values = own(start, limit)
        found = mine(start.decode(errors="ignore"))
        if not any(found.values()):
            return values
        kind = MemoryType.__members__.get(found["type"])
        return found["name"], found["description"], kind, values[3]

    return read_header


HEAD = "---\nname: Tabs\ndescription: how code is typed\ntype: user\n---\n"


def about(rule, *texts):
    return [Case((text,), rule) for text in texts]


def around(rule, *headers):
    return about(rule, *(f"---\n{lines}\n---\nBody\n" for lines in headers))


def files(rng):
    for rule, *texts in (
        ("a file has a header and a body", HEAD + "Tabs."),
        (
            "the body is everything after the second ---, unchanged",
            *(HEAD + "above\n---\nbelow\n", HEAD + "\n\n  deep  \n\n"),
            *(HEAD, HEAD + "one\u2028---\u2028two\x0bthree\rfour\n"),
        ),
        (
            "the header ends with the next line that is --- and no more",
            "---\nname: before --- after\n---\nx",
            "---\nname: >-\n  above\n  ---\n  below\n---\nx",
            *("---\nname: Tabs\n---", "---\n---a: b\nname: Tabs\n---\nx"),
        ),
        (
            "a line may end in \\r\\n",
            HEAD.replace("\n", "\r\n") + "Body\r\nmore\n",
            "---\r\n---\r\n---\r\n",
        ),
        ("a byte order mark at the beginning is skipped", f"\ufeff{HEAD}"),
        (
            "a text without a header",
            "",
            "\n",
            "\ufeff",
            "---\n",
            "No header.\n",
        ),
        ("a header without an end", "---\nname: Open end\ntype: user\n"),
        (
            "the first line is --- and has no other characters",
            *(f" {HEAD}", f"\n{HEAD}", f"-{HEAD}", f"\ufeff\ufeff{HEAD}"),
            "Title\n---\nname: Late\n---\nBody\n---\n",
            "--- \nname: Space\n---\nBody\n",
        ),
        (
            "only \\n and \\r\\n end a line",
            "---\u2028name: One line\n---\nBody\n---\n",
            "---\rname: One line\r---\rBody",
        ),
        ("a header may be empty", "---\n---\nBody", "---\n# mine\n---\nBody"),
    ):
        yield from about(rule, *texts)
    for rule, *headers in (
        (
            'a key that is missing or has no value gives ""',
            *("name: Alone", "name: Alone\ndescription:\ntype:"),
        ),
        (
            "all other keys are ignored",
            "id: 7\nname: a\nbody: b",
            "other: [a]",
        ),
        (
            "a value is the string that YAML reads there",
            *("name: 17:10, not 18:00", 'name: "Deploy: no"'),
            *("name: 'Tuva''s boots'", "name: 'bug #7'  # mine"),
            *("name: >-\n  one\n  line", "name: one\n  line"),
        ),
        (
            "a value is never converted: yes stays 'yes'",
            *("name: yes", "name: 2026-04-04", "name: 007", "type: null"),
        ),
        (
            "type may also be below metadata",
            "name: a\nmetadata:\n  node_type: memory\n  type: reference",
            *("metadata: {type: user}", "type:\nmetadata:\n  type: user"),
        ),
        (
            "a type at the top level counts more than one below metadata",
            "metadata:\n  type: project\ntype: user",
            "type: user\nmetadata:\n  type: [a, list]",
        ),
        (
            "only type is looked for, and only below metadata",
            "metadata:\n  name: no\n  description: no",
            *("origin:\n  type: web", "metadata: no", "metadata:\n- type"),
        ),
        (
            "a header that is not valid YAML gives four empty strings",
            *("name: 'no end", "name: a: b", "name: [a", "\tname: a"),
        ),
        (
            "a header that is not keys and values gives four empty strings",
            *("- name\n- type", "just a sentence", "[]"),
        ),
        (
            "a value that is a list or has keys gives four empty strings",
            *("name: [a, list]", "name: a\ndescription:\n  key: b"),
            *("type: {a: b}", "name: []", "metadata:\n  type: [a, list]"),
        ),
    ):
        yield from around(rule, *headers)
    for _ in range(15):
        name = rng.choice(("Tide times", "'Price: 2026'", '"The \\"Hut\\""'))
        hook = rng.choice(("at 17:10", "no", "2026-04-04", "bug #12 --- on"))
        kind = rng.choice(("type: user", "metadata:\n  type: project"))
        lines = [f"name: {name}", f"description: {hook}", kind]
        rng.shuffle(lines)
        text = "\n".join(["---", *lines, "---", "", "One.", "---", "Two."])
        yield Case((text.replace("\n", rng.choice(("\n", "\r\n"))),))


parse_header_gap = Gap(
    name="parse_header",
    place="memlab.memdir.scan.read_header",
    answer=parse_header,
    enters=in_scan,
    raises=(MemoryFormatError,),
    cases=files,
    hints=(
        "First find the two `---` lines, then give what is between them to"
        " YAML. Don't split the text at `---`: the three characters may also"
        " be in a value or in the body.",
        '`text.split("\\n")` leaves a `\\r` at the end of each line of a'
        ' Windows file, and `"\\n".join(lines)` gives exactly the same text'
        ' back. So you can compare `line.removesuffix("\\r")` with `"---"` and'
        " still return the body unchanged. (`splitlines` also splits at other"
        ' characters, such as `"\\u2028"`.)',
        "`yaml.load(header, Loader=yaml.BaseLoader)` returns every value as a"
        " string. An empty header gives `None`, and a header may also be a"
        " list. It raises `yaml.YAMLError` if the header is not valid YAML.",
        "Look for `type` at the top level first. Only if there is none, or an"
        ' empty one, look in `header.get("metadata")`, and make sure that it'
        " is a dict.",
    ),
    why="The two fences are whole lines, so a `---` inside a value or in the"
    " body can't be mistaken for one. Everything between them is left to a"
    " real YAML parser, because quotes, comments and indentation have more"
    " rules than a few lines of our own could follow.",
    wrong=(
        ("yaml.BaseLoader", "yaml.SafeLoader", "has no value"),
        ('.split("\\n")', ".splitlines()", "unchanged"),
        ('line.removesuffix("\\r")', "line", "may end in \\r\\n"),
        ('line.removesuffix("\\r")', "line.strip()", "no more"),
        ('.removeprefix("\\ufeff")', "", "byte order mark"),
        (".removeprefix(", ".lstrip(", "no other characters"),
        ("fences[0] != 0", "False", "first line is ---"),
        ("end = fences[1]", "end = fences[-1]", "unchanged"),
        ("except yaml.YAMLError", "except KeyError", "not valid YAML"),
        ("if header is None", "if not header", "not keys and values"),
        ('values["type"] == "" and isinstance', "isinstance", "counts more"),
        (" and isinstance(metadata, dict)", " and metadata", "only type"),
        ("if not isinstance(value, str)", "if False", "has keys"),
    ),
)


def format_header(name: str, description: str, type: str) -> str:
    """Write the header of a memory, with quotes where YAML needs them."""

    def spell(value: str) -> str:
        try:
            if yaml.safe_load(f"key: {value}") == {"key": value}:
                return value
        except Exception:
            pass  # what YAML cannot read needs quotes, too
        return json.dumps(value, ensure_ascii=False)

    return (
        "---\n"
        f"name: {spell(name)}\n"
        f"description: {spell(description)}\n"
        f"type: {spell(type)}\n"
        "---\n"
    )


def in_store(mine, own):
    def format_header(name, description, type):
        wanted = {"name": name, "description": description, "type": str(type)}
        if all(value.isprintable() for value in wanted.values()):
            header = mine(name, description, str(type))
            if frontmatter.read(header, "").values == wanted:
                return header
        return own(name, description, type)

    return format_header


def headers(rng):
    plain = (
        "Tabs",
        "17:10 ferry",
        "übung, später",
        "Tuva's boots",
        "C:\\boats",
    )
    plain += (
        'The "Wet Feet" column',
        "http://sea.example/d#top",
        "a " * 50 + "b",
    )
    other = ("yes", "No", "on", "null", "~", "007", "1.50", "12:30", "a #b")
    other += ("2026-04-04", " tide", "tide ", "# of boats", "'quoted'", "1_0")
    other += ('"quoted"', "[list]", "Deploy:", "? what")
    faulty = ("Deploy: never: no", "@home", "`code`", "%done", "*emphasis*")
    faulty += ("{a", 'say "no": never', "!important", "'a' and 'b'", "- dash")
    rule = "a header has five lines, in this order"
    yield Case(("Tabs", "how code is typed", "user"), rule)
    for rule, *values in (
        ("a value that YAML gives back as it is gets no quotes", *plain),
        ("a value at which YAML raises an exception gets quotes", *faulty),
        ("a value that YAML reads as something else gets quotes", *other),
        ("a date that no calendar has raises a ValueError", "2026-02-30"),
        ("json.dumps writes what is in quotes", "C:\\boats: all", "\\n: no"),
        ("ensure_ascii=False keeps letters such as ü", "Über: später"),
    ):
        for value in values:
            yield Case((value, "d", "project"), rule)
    for value in ("yes", "Deploy: never: no", "2026-02-30"):
        rule = "the rule is the same for the description"
        yield Case(("Tabs", value, "reference"), rule)
    every = (*plain, *other, *faulty)
    for _ in range(12):
        kind = rng.choice(("user", "project", "reference"))
        yield Case((rng.choice(every), rng.choice(every), kind))


format_header_gap = Gap(
    name="format_header",
    place="memlab.memdir.memory.format_header",
    answer=format_header,
    enters=in_store,
    cases=headers,
    hints=(
        "Write a small function `spell(value)` inside `format_header`. It"
        " returns the value either as it is or in quotes. All three values go"
        " through it.",
        "For some values, `yaml.safe_load` raises an exception. Such a value"
        " needs quotes, too.",
        "Try `2026-02-30`. It looks like a date, but no calendar has that"
        " day, and `yaml.safe_load` raises a `ValueError`. Other values raise"
        " a `yaml.YAMLError`.",
    ),
    why="Nobody remembers every rule of YAML, so the solution asks YAML"
    " itself: a value that comes back unchanged needs no quotes. Everything"
    " else is written as JSON, and a JSON string of printable characters is"
    " valid YAML.",
    wrong=(
        ("return value", "pass", "five lines"),
        ('== {"key": value}', '!= {"": 0}', "something else"),
        ("except Exception", "except yaml.YAMLError", "ValueError"),
        ("pass  # what", "return value  # what", "raises an exception"),
        ("json.dumps(value, ensure_ascii=False)", "repr(value)", "quotes"),
        ("json.dumps(value, ensure_ascii=False)", "f'\"{value}\"'", "raises"),
        (", ensure_ascii=False", "", "ensure_ascii=False"),
        ("{spell(description)}", "{description}", "for the description"),
    ),
)


def file_stem(name: str, taken: set[str]) -> str:
    """Return a stem that is safe on every system and not taken."""
    reserved = {"memory", "con", "prn", "aux", "nul"}
    reserved |= {f"com{digit}" for digit in range(10)}
    reserved |= {f"lpt{digit}" for digit in range(10)}

    spaced = ""
    for character in name.lower():
        spaced += character if character.isalnum() else " "
    stem = "-".join(spaced.split()) or "note"

    not_free = reserved | {other.lower() for other in taken}
    free = stem
    number = 2
    while free in not_free:
        free = f"{stem}-{number}"
        number += 1
    return free


def in_names(mine, own):
    def file_name(name, taken=()):
        file = own(name, taken)
        if file in taken:
            return file  # a memory of this name keeps its file
        stems = {one.removesuffix(".md") for one in taken if "/" not in one}
        stem = mine(name, set(stems))
        is_taken = stem.casefold() in {one.casefold() for one in stems}
        return file if is_taken or slug(stem) != stem else f"{stem}.md"

    return file_name


def names(rng):
    for rule, *every in (
        (
            "letters and digits in lower case, with one hyphen between words",
            *("Tabs & single quotes", "17:10 ferry", "tabs.md", "snake_case"),
            *("a  --  b", "A/B\tC", "tide " * 30 + "x"),
        ),
        (
            "there is no hyphen at the beginning or at the end",
            *("../../etc/passwd", "-tide-", "Tide?", " (tide) "),
        ),
        (
            "the letters of every language count",
            *("Übung, später", "潮の時刻", "Straße", "Recipe ½"),
        ),
        ("a name without letters and digits gives note", "???", "", " - "),
        ("a reserved stem gets a number", "Memory!", "CON", "lpt1", "Com0"),
        ("only a whole stem is reserved", "Con artists", "Console", "com10"),
    ):
        for name in every:
            yield Case((name, {"tab"}), rule)
    for rule, name, *taken in (
        ("only a whole stem is taken", "Tab", "tabs", "tab-le"),
        ("a taken stem gets a number", "Tabs", "tabs"),
        ("a taken stem gets a number", "!!!", "note"),
        ("the number is the first that is free", "Tabs", "tabs", "tabs-2"),
        ("the number is the first that is free", "Tabs", "tabs", "tabs-3"),
        ("a stem that is free gets no number", "Tabs", "tabs-2"),
        ("the number comes after the whole stem", "A 2", "a", "a-2"),
        ("the stem with a number may be taken", "Memory", "memory-2"),
        ("case is ignored in what is taken", "Tabs", "TABS", "tabS-2"),
    ):
        yield Case((name, set(taken)), rule)
    words = ("tide", "ferry", "board", "42", "kayak")
    for _ in range(12):
        chosen = rng.choices(words, k=3)
        stem = "-".join(chosen)
        taken = {f"{stem}-{number}" for number in range(2, rng.randint(2, 5))}
        name = rng.choice((" ", ", ", " / ", "--", "_")).join(chosen)
        yield Case((name.title(), taken | set(rng.sample([stem, "x"], 1))))


file_stem_gap = Gap(
    name="file_stem",
    place="memlab.memdir.store.file_name",
    answer=file_stem,
    enters=in_names,
    cases=names,
    hints=(
        "Go through the characters of `name.lower()`. What should become of a"
        " character that is neither a letter nor a digit?",
        "If you put a space in its place, `text.split()` gives you the words,"
        ' however many spaces there are, and `"-".join(words)` connects them.',
        'Keep the stem as it is, and try `stem`, `f"{stem}-2"`,'
        ' `f"{stem}-3"` and so on until one is neither reserved nor taken.',
    ),
    why="Dots, slashes and colons all become hyphens, so no name can lead to"
    " another folder or mean something special to a system. The numbers make"
    " sure that two memories never share a file.",
    wrong=(
        ("name.lower()", "name", "lower case"),
        (' else " "', ' else ""', "one hyphen between words"),
        ('"-".join(spaced.split())', 'spaced.replace(" ", "-")', "one hyphen"),
        (
            "character.isalnum()",
            "'a' <= character <= 'z'",
            "letters and digits",
        ),
        (
            "character.isalnum()",
            "character.encode().isalnum()",
            "every language",
        ),
        (' or "note"', "", "gives note"),
        ("number = 2", "number = 1", "gets a number"),
        ("{stem}-{number}", "{free}-{number}", "first that is free"),
        ("other.lower() for", "other for", "case is ignored"),
        ("reserved | {", "{", "a reserved stem"),
        ("while free in", "if free in", "first that is free"),
        (
            "number = 2",
            "number = 2\n    taken.add(stem)",
            "changed its argument",
        ),
    ),
)
