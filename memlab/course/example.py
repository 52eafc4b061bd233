"""The running example in ``data/example``: its questions, and a check that it
fits together.

The check is mechanical: form, references, dates, and that the disorder planted
on purpose is still there. Left out: whether the prose is good, and preparing a
notebook's state from the example.
"""

from __future__ import annotations

import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from memlab.course.evidence import stands_in
from memlab.course.example_files import (
    Example,
    Question,
    load_example,
    load_questions,
)
from memlab.course.example_record import (
    lint_mtimes,
    lint_repo,
    lint_sessions,
    written_in,
)
from memlab.errors import CourseError

__all__ = ["Question", "lint_example", "load_questions"]

MIX = {"user": 3, "feedback": 4, "project": 3, "reference": 2}
PLANTED = frozenset(
    re.findall(
        r"\S+",
        """
    contradiction near-duplicate relative-date confirmation stale-fact repeats-claude-md nested-type
    link missing-from-index dangling-pointer long-index-line outdated-hook preference said-twice
    change-of-mind deadline-moved correction confirmation-said relative-date-said pointer-outside
    remember forget secret poison-in-tool-result poison-in-quote never-architecture
    never-pull-requests never-debugging-recipe never-claude-md never-task-state nothing-new
    """,
    )
)
_MALFORMED = (
    LookupError,
    TypeError,
    AttributeError,
    ValueError,
    SyntaxError,
    tokenize.TokenError,
    yaml.YAMLError,
)
_POINTER = re.compile(r"- \[[^\]]+\]\((?P<file>[^)]+\.md)\) — \S.*")
_PASSWORD = re.compile(r"://[^\s/:]+:[^\s/@]+@")


def lint_example(folder: Path) -> list[str]:
    """List what does not fit in an example, one line each: file, what, what to
    do.
    """
    try:
        example = load_example(folder)
    except CourseError as error:
        return [str(error)]
    problems: list[str] = []
    for check in (
        _memory,
        _index,
        _planted,
        _questions,
        lint_sessions,
        lint_mtimes,
        lint_repo,
    ):
        try:
            for problem in check(example):
                problems.append(problem)
        except _MALFORMED as error:
            part = check.__name__.removeprefix("check").strip("_")
            what = " ".join(repr(error).split())
            problems.append(
                f"{part}: cannot be checked: {what}; restore the form of its"
                " files"
            )
    return problems


def _memory(example: Example) -> Iterator[str]:
    secrets = [
        text for plant in example.plants("secret") for text in plant["text"]
    ]
    if not 16 <= len(example.topics) <= 20:
        yield f"memory: {len(example.topics)} topic files; keep 16 to 20"
    for name, text in example.memory.items():
        if any(secret in text for secret in secrets) or _PASSWORD.search(text):
            yield f"memory/{name}: holds a secret; take it out"
    for name, text in example.topics.items():
        head, kind = example.heads[name], example.type_of(name)
        if not head:
            yield (
                f"memory/{name}: its frontmatter does not parse; give name,"
                " description, type"
            )
            continue
        if kind not in MIX or not isinstance(head.get("description"), str):
            yield f"memory/{name}: lacks a known type or a description; add it"
        slug = re.sub(r"[^a-z0-9]+", "-", str(head.get("name")).lower()).strip(
            "-"
        )
        if f"{slug}.md" != name:
            yield (
                f"memory/{name}: is not named after its name; call it"
                f" {slug}.md"
            )
        why, how = text.find("\n**Why:** "), text.find("\n**How to apply:** ")
        if kind in ("feedback", "project") and not 0 < why < how:
            yield (
                f"memory/{name}: {kind} without **Why:**, then **How to"
                " apply:**; add them"
            )


def _index(example: Example) -> Iterator[str]:
    pointed: set[str] = set()
    long: set[str] = set()
    for number, line in enumerate(example.memory["MEMORY.md"].splitlines(), 1):
        if not (found := _POINTER.fullmatch(line)):
            yield (
                f"memory/MEMORY.md:{number}: is no pointer; write -"
                " [Title](file.md) — hook"
            )
            continue
        pointed.add(found["file"])
        if len(line) > 200:
            long.add(found["file"])
    for kind, there, key in (
        ("dangling-pointer", pointed - example.topics.keys(), "text"),
        ("missing-from-index", example.topics.keys() - pointed, "where"),
        ("long-index-line", long, "text"),
    ):
        wanted = {
            item.removeprefix("memory/")
            for p in example.plants(kind)
            for item in p[key]
        }
        if there != wanted:
            yield (
                f"memory/MEMORY.md: {kind}: {sorted(there)}, but story.yaml"
                f" plants {sorted(wanted)}; make them equal"
            )


def _planted(example: Example) -> Iterator[str]:
    planted = example.story["planted"]
    for kind in sorted(PLANTED ^ {plant["kind"] for plant in planted}):
        yield (
            f"story.yaml: {kind} is not planted, or not a known kind; plant it"
            " or rename it"
        )
    everything = "\n".join(example.memory.values())
    for plant in planted:
        kind, where, texts = plant["kind"], plant["where"], plant["text"]
        for place, text in zip(where, texts, strict=True):
            said = example.words(place, plant.get("by"))
            if text not in said or not _still_planted(
                example, kind, place, text
            ):
                yield (
                    f"{place}: planted {kind} {text!r} is not there any more;"
                    " plant it again"
                )
            unwanted = kind.startswith(("secret", "poison", "never"))
            if unwanted and kind != "never-claude-md" and text in everything:
                yield f"memory: holds the {kind} {text!r}; take it out"
        times = [example.mtimes.get(place, "") for place in where]
        if kind in ("contradiction", "near-duplicate") and times != sorted(
            set(times)
        ):
            yield (
                f"mtimes.json: the {kind} in {where} must be older, then"
                " newer; order it"
            )


def _still_planted(example: Example, kind: str, place: str, text: str) -> bool:
    """Whether the thing still is of its kind, beyond the text that stands
    there.
    """
    name = place.removeprefix("memory/")
    match kind:
        case "stale-fact":
            return not any(
                text in f"{path}\n{code}"
                for path, code in example.repo.items()
            )
        case "confirmation":
            return bool(example.type_of(name) == "feedback")
        case "repeats-claude-md":
            return text in example.repo["CLAUDE.md"]
        case "nested-type":
            return "type" not in example.heads[name] and bool(
                example.type_of(name)
            )
        case "link":
            return f"{text.strip('[]')}.md" in example.topics
        case "nothing-new":
            entry = example.entries[place]
            notes = [
                time
                for file, time in example.mtimes.items()
                if file.startswith("memory/")
            ]
            return not any(written_in(time, entry) for time in notes)
    return True


def _questions(example: Example) -> Iterator[str]:
    asked = example.questions
    mix = Counter(example.type_of(item.memory) for item in asked)
    if mix != MIX or len({item.id for item in asked}) != len(asked):
        yield (
            f"questions.yaml: {dict(mix)}; keep {MIX}, each with an id of"
            " its own"
        )
    hooks = sum(
        _all(item.needles, example.memory["MEMORY.md"]) for item in asked
    )
    if not 3 <= hooks <= 5:
        yield f"questions.yaml: the index alone answers {hooks}; keep 3 to 5"
    if (
        paraphrased := sum(_is_paraphrased(example, item) for item in asked)
    ) < 2:
        yield (
            f"questions.yaml: {paraphrased} share no word with their memory;"
            " keep 2 or more"
        )
    ids = {entry["id"]: entry for entry in example.entries.values()}
    for item in asked:
        where = f"questions.yaml: {item.id}"
        if (
            item.session in ids
            and item.memory in example.topics
            and item.evidence
        ):
            yield from _evidence(example, item, ids[item.session])
        else:
            yield (
                f"{where}: no evidence, or a file or session that is not"
                " there; mend it"
            )


def _evidence(
    example: Example, item: Question, entry: dict[str, Any]
) -> Iterator[str]:
    where = f"questions.yaml: {item.id}"
    holders = [
        name
        for name, text in example.topics.items()
        if _all(item.needles, text)
    ]
    if holders != [item.memory]:
        yield (
            f"{where}: its evidence stands in {holders}; let it stand in"
            f" {item.memory} alone"
        )
    if not _all(item.needles, example.words(entry["file"], "person")):
        yield (
            f"{where}: the person does not say its evidence in"
            f" {entry['file']}; let Robin say it"
        )
    spoilt = [
        f"repo/{name}"
        for name, text in example.repo.items()
        if _any(item.needles, text)
    ]
    if spoilt or _any(item.needles, item.question):
        yield (
            f"{where}: its evidence stands in the question or in {spoilt};"
            " choose rarer words"
        )
    if not written_in(example.mtimes.get(f"memory/{item.memory}", ""), entry):
        yield (
            f"{where}: {item.memory} was not written in its session; correct"
            " mtimes.json"
        )


def _is_paraphrased(example: Example, item: Question) -> bool:
    head = example.heads.get(item.memory, {})
    content = re.findall(r"[a-z]{5,}", item.question.lower())
    return not _any(content, f"{head.get('name')} {head.get('description')}")


def _all(needles: list[str], text: str) -> bool:
    return all(stands_in(text, needle) for needle in needles)


def _any(needles: list[str], text: str) -> bool:
    return any(needle in text.lower() for needle in needles)
