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
    header = {} if header is None else header
    if not isinstance(header, dict):
        return nothing
    found = {
        key: header.get(key, "") for key in ("name", "description", "type")
    }
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
    "only a whole line ends the header | ---\n---a: b\nHEAD | ---\nname: >-\n  --- b\n  ---\nHEAD",
    "a line may end in \\r\\n | ---\r\nname: a\r\n---\r\na\r\nb\n",
    "a byte order mark at the beginning is skipped | \ufeffHEAD",
    "if a --- is missing, all are empty |  | \n | \ufeff | ---\n | No header.\n | ---\nname: a\n",
    "line 1 must be --- |  HEAD | \nHEAD | -HEAD | a\nHEAD | \ufeff\ufeffHEAD | --- \na: b\nHEAD",
    "only \\n and \\r\\n end a line | HEADa\rb\u2028---\u2028c\x0bd | ---\rname: a\r---\rx",
    "only \\n and \\r\\n end a line | ---\u2028name: a\n---\nx\n---\n",
    "a header may be empty | ---\n---\nBody | ---\r\n---\r\n---\r\n | ---\n# mine\n---\nBody",
)
HEADERS = (
    'a key that is missing or has no value gives "" | name: a | name: a\ndescription:\ntype:',
    "all other keys are ignored | id: 7\nname: a\nbody: b | other: [a]",
    "YAML reads the value | name: 17:10 | name: \"a: b\" | name: 'Tu''s #7'  # mine | name: a\n  b",
    "no value is converted | name: yes | name: 2026-04-04 | name: 007 | type: null",
    "type may also be below metadata | metadata: {type: user} | metadata:\n  type: user",
    "a type at the top counts more | metadata: {type: a}\ntype: b | type: b\nmetadata: {type: {}}",
    "an empty type at the top doesn't count | type:\nmetadata:\n  type: user",
    "metadata may be anything | metadata: {name: a, body: b} | metadata: no | metadata:\n- type",
    "a header that is not valid YAML | name: 'no end | name: a: b | name: [a | \tname: a",
    "a header that is not keys and values | - name\n- type | just a sentence | []",
    "a value that is a list or has keys | name: [a] | type: {a} | name: [] | metadata: {type: []}",
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
        kind = rng.choice(("type: user", "metadata:\n  type: project"))
        text = f"---\n{kind}\nname: {name}\ndescription: #12\n---\n\n---\na"
        yield Case((text.replace("\n", rng.choice(("\n", "\r\n"))),))


parse_header_gap = Gap(
    name="parse_header",
    place="memlab.memdir.scan.read_header",
    answer=parse_header,
    enters=in_scan,
    raises=(MemoryFormatError,),
    cases=files,
    hints=(
        "`yaml.load(header, Loader=yaml.BaseLoader)` converts no value. It may raise a YAMLError.",
        "It returns a dict, a list, a string or None, and a value in a dict may be any of them.",
    ),
    why="YAML knows its own rules, BaseLoader guesses nothing, and only strings get through.",
    wrong=(
        ("yaml.BaseLoader", "yaml.SafeLoader", "has no value"),
        ('line.removesuffix("\\r")', "line.strip()", "a whole line"),
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
    "YAML raises an exception: quotes | Deploy: never: no | @home | `code` | %d | 'a' and 'b' | {a",
    'YAML raises an exception: quotes | say "no": never | !important | *bold* | - dash | ? what',
    "YAML reads something else: quotes | yes | on | null | ~ | 007 | 1.50 | 12:30 | a #b | 1_0",
    "YAML reads something else: quotes |  tide | tide  | # no | 'a' | [a] | 2026-04-04 | Deploy:",
    "a date that doesn't exist raises a ValueError | 2026-02-30",
    "json.dumps adds the quotes, with ensure_ascii=False | C:\\boats: all | \\n: no | Über: später",
)


def headers(rng):
    for rule, value in rows(VALUES):
        yield Case((value, "d", "project"), rule)
        yield Case(("Tabs", value, "user"), "likewise for the description")
    yield Case(("Tabs", "a " * 50 + "b", "user"), "a value stays on one line")


format_header_gap = Gap(
    name="format_header",
    place="memlab.memdir.memory.format_header",
    answer=format_header,
    enters=in_store,
    cases=headers,
    hints=(
        "Write a small function `spell(value)` that returns a value as it is, or in quotes.",
        "`yaml.safe_load` may raise more than a `yaml.YAMLError`: try `2026-02-30`.",
    ),
    why="It asks YAML itself: a value needs quotes only if YAML doesn't give it back unchanged.",
    wrong=(
        ('== {"key": value}', '!= {"": 0}', "something else"),
        ("except Exception", "except yaml.YAMLError", "ValueError"),
        ("json.dumps(value, ensure_ascii=False)", "f'\"{value}\"'", "raises"),
        (", ensure_ascii=False", "", "ensure_ascii=False"),
        ("{spell(description)}", "{description}", "the description"),
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
    free, number = stem, 2
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
    "there is no hyphen at either end | ../../etc/passwd | -tide- | Tide? |  (a) ",
    "the letters of every language count | Übung | 潮の時刻 | Straße | ½",
    "a name without letters or digits gives note | ??? |  |  - ",
    "a reserved stem gets a number | Memory! | CON | lpt1 | Com0 | aux",
    "only a whole stem is reserved or taken | Con artists | Console | com10 | Tab < tabs tab-le",
    "the first number that is free | Tabs < tabs | !!! < note | A 2 < a a-2 | Tabs < tabs tabs-2",
    "the first number that is free | Tabs < tabs tabs-3 | Tabs < tabs-2 | Memory < memory-2",
    "case is ignored when a stem is compared with taken | Tabs < TABS tabS-2",
)


def names(rng):
    for rule, each in rows(NAMES):
        name, _, taken = each.partition(" < ")
        yield Case((name, set(taken.split())), rule)
    for _ in range(12):
        words = rng.choices(("tide", "ferry", "42", "kayak" * 30), k=3)
        stem = "-".join(words)
        taken = rng.sample((stem, f"{stem}-2", f"{stem}-3", "x"), 3)
        name = rng.choice((" ", ", ", " / ", "--", "_")).join(words)
        yield Case((name.title(), set(taken)))


file_stem_gap = Gap(
    name="file_stem",
    place="memlab.memdir.store.file_name",
    answer=file_stem,
    enters=in_names,
    cases=names,
    hints=(
        "Replace each character that is neither a letter nor a digit with a space. Then split.",
        'Keep the stem, and try `stem`, `f"{stem}-2"` and so on until one is free.',
    ),
    why="Without dots and slashes, no name leads to another folder, and no memories share a file.",
    wrong=(
        ('else " "', 'else ""', "one hyphen is between words"),
        ("each.isalnum()", "each.encode().isalnum()", "every language"),
        (' or "note"', "", "gives note"),
        ("{stem}-{number}", "{free}-{number}", "number that is free"),
        ("other.lower() for", "other for", "case is ignored"),
    ),
)
