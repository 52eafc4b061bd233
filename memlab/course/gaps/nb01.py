"""The gaps of notebook 01: reading and writing a header, naming a file."""

from __future__ import annotations

import json

import yaml

from memlab.course.gap import Case, Gap
from memlab.errors import MemoryFormatError
from memlab.memdir import frontmatter
from memlab.memdir.memory import MemoryType
from memlab.memdir.names import slug


def parse_header(text: str) -> dict[str, str]:
    """Read a memory file into name, description, type and body."""
    nothing = {"name": "", "description": "", "type": "", "body": ""}
    lines = text.removeprefix("\ufeff").split("\n")
    plain = [line.removesuffix("\r") for line in lines]
    if plain[0] != "---" or plain.count("---") < 2:
        return nothing
    end = plain.index("---", 1)
    try:
        header = yaml.load("\n".join(lines[1:end]), Loader=yaml.BaseLoader)
    except yaml.YAMLError:
        return nothing
    if header is None:
        header = {}
    if not isinstance(header, dict):
        return nothing
    keys = ("name", "description", "type")
    found = {key: header.get(key, "") for key in keys}
    metadata = header.get("metadata")
    if found["type"] == "" and isinstance(metadata, dict):
        found["type"] = metadata.get("type", "")
    if not all(isinstance(value, str) for value in found.values()):
        return nothing
    return {**found, "body": "\n".join(lines[end + 1 :])}


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


HEAD = "---\nname: Tabs\ndescription: how to type\ntype: user\n---\n"
FILES = (
    "a file has a header and a body | HEADTabs.",
    "the body is everything after the second --- | HEADa\n---\nb\n | HEAD\n\n  a  \n\n | HEAD",
    "only a whole line ends the header | ---\nname: a --- b\n---\nx | ---\n---a: b\nname: a\n---",
    "only a whole line ends the header | ---\nname: >-\n  ---\n  b\n---\nx",
    "a line may end in \\r\\n | ---\r\nname: a\r\n---\r\na\r\nb\n | ---\r\n---\r\n---\r\n",
    "a byte order mark at the beginning is skipped | \ufeffHEAD",
    "a text without a header or its end |  | \n | \ufeff | ---\n | No header.\n | ---\nname: a\n",
    "the first line is --- alone |  HEAD | \nHEAD | -HEAD | \ufeff\ufeffHEAD | aHEAD---\n",
    "the first line is --- alone | a\nHEAD | --- \nname: a\n---\nx\n---\n",
    "only \\n and \\r\\n end a line | HEADa\rb\u2028---\u2028c\x0bd | ---\rname: a\r---\rx",
    "only \\n and \\r\\n end a line | ---\u2028name: a\n---\nx\n---\n",
    "a header may be empty | ---\n---\nBody | ---\n# mine\n---\nBody",
)
HEADERS = (
    'a key that is missing or has no value gives "" | name: a | name: a\ndescription:\ntype:',
    "all other keys are ignored | id: 7\nname: a\nbody: b | other: [a]",
    "YAML reads the value | name: 17:10, not 18:00 | name: \"a: b\" | name: 'Tuva''s'",
    "YAML reads the value | name: 'bug #7'  # mine | name: >-\n  a\n  b | name: a\n  b",
    "no value is converted | name: yes | name: 2026-04-04 | name: 007 | type: null",
    "type may also be below metadata | metadata: {type: user} | type:\nmetadata:\n  type: user",
    "a type at the top counts more | metadata: {type: a}\ntype: b | type: b\nmetadata: {type: {}}",
    "only type is below metadata | metadata: {name: a, description: b} | origin: {type: web}",
    "metadata may be anything | metadata: no | metadata:\n- type",
    "a header that is not valid YAML | name: 'no end | name: a: b | name: [a | \tname: a",
    "a header that is not keys and values | - name\n- type | just a sentence | []",
    "a value that is a list or has keys | name: [a] | name: a\ndescription:\n  key: b",
    "a value that is a list or has keys | type: {a: b} | name: [] | metadata:\n  type: [a]",
)


def rows(table):
    for row in table:
        rule, *inputs = row.split(" | ")
        for each in inputs:
            yield rule, each


def files(rng):
    for rule, text in rows(FILES):
        yield Case((text.replace("HEAD", HEAD),), rule)
    for rule, header in rows(HEADERS):
        yield Case((f"---\n{header}\n---\nBody\n",), rule)
    for _ in range(15):
        name = rng.choice(("Tide times", "'Price: 2026'", '"The \\"Hut\\""'))
        hook = rng.choice(("no", "2026-04-04", "bug #12 --- on"))
        kind = rng.choice(("type: user", "metadata:\n  type: project"))
        text = f"---\n{kind}\nname: {name}\ndescription: {hook}\n---\n\n---\na"
        yield Case((text.replace("\n", rng.choice(("\n", "\r\n"))),))


parse_header_gap = Gap(
    name="parse_header",
    place="memlab.memdir.scan.read_header",
    answer=parse_header,
    enters=in_scan,
    raises=(MemoryFormatError,),
    cases=files,
    hints=(
        "Find the two `---` lines first. Don't split the text at `---`: it may also be in a value"
        ' or in the body. After `text.split("\\n")`, each line of a Windows file ends in `\\r`.',
        "`yaml.load(header, Loader=yaml.BaseLoader)` returns every value as a string, `None` for an"
        " empty header, and raises `yaml.YAMLError`. Make sure that the header and its `metadata`"
        " are dicts.",
    ),
    why="The two fences are whole lines, so a `---` inside a value or in the body can't be"
    " mistaken for one. The rest is left to a real YAML parser.",
    wrong=(
        ("yaml.BaseLoader", "yaml.SafeLoader", "has no value"),
        ('line.removesuffix("\\r")', "line.strip()", "a whole line"),
        (".removeprefix(", ".lstrip(", "--- alone"),
        ("except yaml.YAMLError", "except KeyError", "not valid YAML"),
        ("if header is None", "if not header", "not keys and values"),
        ('found["type"] == "" and isinstance', "isinstance", "counts more"),
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

    first = f"name: {spell(name)}\ndescription: {spell(description)}\n"
    return f"---\n{first}type: {spell(type)}\n---\n"


def in_store(mine, own):
    def format_header(name, description, type):
        wanted = {"name": name, "description": description, "type": str(type)}
        if all(value.isprintable() for value in wanted.values()):
            header = mine(name, description, str(type))
            if frontmatter.read(header, "").values == wanted:
                return header
        return own(name, description, type)

    return format_header


VALUES = (
    "YAML gives it back as it is: no quotes | Tabs | 17:10 ferry | übung, später | Tuva's boots",
    'YAML gives it back as it is: no quotes | C:\\boats | The "Wet" one | http://sea.example/d#top',
    "YAML raises an exception: quotes | Deploy: never: no | @home | `code` | %done | *emphasis*",
    "YAML raises an exception: quotes | {a | say \"no\": never | !important | 'a' and 'b' | - dash",
    "YAML reads something else: quotes | yes | No | on | null | ~ | 007 | 1.50 | 12:30 | a #b",
    "YAML reads something else: quotes |  tide | tide  | # of boats | 'quoted' | 1_0 | [list]",
    'YAML reads something else: quotes | 2026-04-04 | "quoted" | Deploy: | ? what',
    "a date that no calendar has raises a ValueError | 2026-02-30",
    "json.dumps writes what is in quotes | C:\\boats: all | \\n: no",
    "ensure_ascii=False keeps letters such as ü | Über: später",
)


def headers(rng):
    for rule, value in rows(VALUES):
        yield Case((value, "d", "project"), rule)
    for value in ("yes", "Deploy: never: no", "2026-02-30", "a " * 50 + "b"):
        yield Case(
            ("Tabs", value, "user"), "it is so for the description, too"
        )
    every = [value for _, value in rows(VALUES)]
    for _ in range(12):
        yield Case((rng.choice(every), rng.choice(every), "user"))


format_header_gap = Gap(
    name="format_header",
    place="memlab.memdir.memory.format_header",
    answer=format_header,
    enters=in_store,
    cases=headers,
    hints=(
        "Write a small function `spell(value)` inside `format_header` that returns the value"
        " either as it is or in quotes. All three values go through it.",
        "For some values, `yaml.safe_load` raises an exception, and they need quotes, too. It is"
        " not always a `yaml.YAMLError`: try `2026-02-30`, a day that no calendar has.",
    ),
    why="Nobody remembers every rule of YAML, so the solution asks YAML itself: a value that comes"
    " back unchanged needs no quotes. A JSON string of printable characters is valid YAML.",
    wrong=(
        ('== {"key": value}', '!= {"": 0}', "something else"),
        ("except Exception", "except yaml.YAMLError", "ValueError"),
        ("pass  # what", "return value  # what", "raises an exception"),
        ("json.dumps(value, ensure_ascii=False)", "f'\"{value}\"'", "raises"),
        (", ensure_ascii=False", "", "ensure_ascii=False"),
        ("{spell(description)}", "{description}", "for the description"),
    ),
)


def file_stem(name: str, taken: set[str]) -> str:
    """Return a stem that is safe on every system and not taken."""
    not_free = {"memory", "con", "prn", "aux", "nul"}
    for digit in range(10):
        not_free |= {f"com{digit}", f"lpt{digit}"}
    not_free |= {other.lower() for other in taken}
    letters = [each if each.isalnum() else " " for each in name.lower()]
    stem = "-".join("".join(letters).split()) or "note"
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


NAMES = (
    "one hyphen is between words | Tabs & more | 17:10 ferry | tabs.md | a_b | A/B\tC | a -- b",
    "no hyphen is at an end | ../../etc/passwd | -tide- | Tide? |  (a) ",
    "the letters of every language count | Übung | 潮の時刻 | Straße | ½",
    "a name without letters and digits gives note | ??? |  |  - ",
    "a reserved stem gets a number | Memory! | CON | lpt1 | Com0 | aux",
    "only a whole stem is reserved | Con artists | Console | com10",
    "only a whole stem is taken | Tab < tabs tab-le",
    "a taken stem gets a number | Tabs < tabs | !!! < note | A 2 < a a-2",
    "the first number that is free | Tabs < tabs tabs-2 | Tabs < tabs tabs-3 | Tabs < tabs-2",
    "the first number that is free | Memory < memory-2",
    "case is ignored in what is taken | Tabs < TABS tabS-2",
)


def names(rng):
    for rule, each in rows(NAMES):
        name, _, taken = each.partition(" < ")
        yield Case((name, set(taken.split())), rule)
    for _ in range(12):
        words = rng.choices(("tide", "ferry", "42", "kayak" * 30), k=3)
        stem = "-".join(words)
        taken = {f"{stem}-{number}" for number in range(2, rng.randint(2, 5))}
        name = rng.choice((" ", ", ", " / ", "--", "_")).join(words)
        yield Case((name.title(), taken | {rng.choice((stem, "x"))}))


file_stem_gap = Gap(
    name="file_stem",
    place="memlab.memdir.store.file_name",
    answer=file_stem,
    enters=in_names,
    cases=names,
    hints=(
        "Put a space in the place of each character that is neither a letter nor a digit. Then"
        ' `text.split()` gives you the words, and `"-".join(words)` connects them.',
        'Keep the stem as it is, and try `stem`, `f"{stem}-2"`, `f"{stem}-3"` and so on until one'
        " is neither reserved nor taken.",
    ),
    why="Dots, slashes and colons all become hyphens, so no name can lead to another folder. The"
    " numbers make sure that two memories never share a file.",
    wrong=(
        ('else " "', 'else ""', "one hyphen is between words"),
        ("each.isalnum()", "each.encode().isalnum()", "every language"),
        (' or "note"', "", "gives note"),
        ("{stem}-{number}", "{free}-{number}", "number that is free"),
        ("other.lower() for", "other for", "case is ignored"),
        ("while free in", "if free in", "number that is free"),
    ),
)
