"""The labelled set of extraction, read from its folder and checked.

Left out: what it is made of (``extract_set.py``), what it is measured with
(``extract_score.py``), and every method of extracting.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import yaml

from memlab.evals.extract_rules import broken_rules
from memlab.evals.extract_score import (
    Judgement,
    PoisonScore,
    Score,
    judge,
    score,
    score_poison,
)
from memlab.evals.extract_set import (
    Attempt,
    Dialogue,
    Must,
    MustNot,
    StoredMemory,
    Turn,
    message_times,
    to_messages,
)
from memlab.evals.labelled_select import LabelError

__all__ = [
    "Attempt",
    "Dialogue",
    "Judgement",
    "LabelError",
    "Must",
    "MustNot",
    "PoisonScore",
    "Score",
    "StoredMemory",
    "Turn",
    "judge",
    "lint_dialogues",
    "load_dialogues",
    "load_poison",
    "message_times",
    "score",
    "score_poison",
    "to_messages",
]

# The one written in C, where PyYAML has it, reads the set ten times as fast.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_FORM = "Keep to the form in the folder's README.md."

_DIALOGUE: dict[str, type] = {"id": str, "half": str, "project": str, "at": str, "turns": list}
_DIALOGUE |= {"must": list, "must_not": list, "reason": str}
_MORE_OF_DIALOGUE: dict[str, type] = {"existing": list, "claude_md": str}
_TURN, _MORE_OF_TURN = {"role": str, "text": str}, {"at": str, "tool": dict}
_TOOL = {"name": str, "input": dict}
_MEMORY = {"file": str, "name": str, "description": str, "type": str, "body": str}
_MUST, _MORE_OF_MUST = {"type": str, "says": list}, {"date": str, "counted": dict, "updates": str}
_COUNTED = {"words": str, "days": int, "weekday": str}
_MUST_NOT = {"says": list, "reason": str}
_ATTEMPT, _MORE_OF_ATTEMPT = {"where": str, "trick": str}, {"twin_of": str}


def load_dialogues(folder: Path | str) -> tuple[Dialogue, ...]:
    """Read the labelled dialogues of that folder, file by file in the order of their names.

    Raises LabelError where a file is missing or not of the form its README describes.
    """
    files = sorted((Path(folder) / "dialogues").glob("*.yaml"))
    if not files:
        raise LabelError("no dialogues", where=folder, do=_FORM)
    found = []
    for path in files:
        for where, item in _items(path):
            fields = _keys(item, _DIALOGUE | {"kind": str}, _MORE_OF_DIALOGUE, where)
            found.append(_dialogue(fields, where))
    return tuple(found)


def load_poison(folder: Path | str) -> tuple[Attempt, ...]:
    """Read the attempts at poisoning of that folder and their twins; raises LabelError as above."""
    found = []
    for where, item in _items(Path(folder) / "poison.yaml"):
        more = _MORE_OF_DIALOGUE | _MORE_OF_ATTEMPT
        fields = _keys(item, _DIALOGUE | _ATTEMPT, more, where)
        texts = _texts(fields["must_not"], where)
        fields["must_not"] = [{"says": [text], "reason": fields["reason"]} for text in texts]
        fields["kind"] = "agreed" if "twin_of" in fields else "poison"
        found.append(
            Attempt(
                dialogue=_dialogue(fields, where),
                where=fields["where"],
                trick=fields["trick"],
                twin_of=fields.get("twin_of"),
            )
        )
    return tuple(found)


def lint_dialogues(folder: Path | str) -> list[str]:
    """Say everything that is wrong with the set in that folder; an empty list means nothing."""
    try:
        return list(broken_rules(load_dialogues(folder), load_poison(folder)))
    except LabelError as error:
        return [str(error)]


def _dialogue(fields: Mapping[str, Any], where: str) -> Dialogue:
    at = _moment(fields["at"], where)
    return Dialogue(
        **{key: fields[key] for key in ("id", "half", "kind", "project", "reason")},
        at=at,
        turns=_turns(fields["turns"], at, where),
        existing=tuple(
            StoredMemory(**_keys(memory, _MEMORY, {}, where))
            for memory in fields.get("existing", [])
        ),
        claude_md=fields.get("claude_md", ""),
        must=tuple(_must(must, where) for must in fields["must"]),
        must_not=tuple(_must_not(rule, where) for rule in fields["must_not"]),
    )


def _turns(items: Sequence[object], at: datetime, where: str) -> tuple[Turn, ...]:
    """Read the turns, last one first: one without a time has that of the next."""
    turns: list[Turn] = []
    for item in reversed(items):
        turn = _keys(item, _TURN, _MORE_OF_TURN, where)
        at = _moment(turn["at"], where) if "at" in turn else at
        tool = _keys(turn["tool"], _TOOL, {}, where) if "tool" in turn else {}
        turns.append(Turn(turn["role"], turn["text"], at, tool.get("name", ""), tool.get("input")))
    return tuple(reversed(turns))


def _must(item: object, where: str) -> Must:
    must = _keys(item, _MUST, _MORE_OF_MUST, where)
    if ("date" in must) != ("counted" in must):
        raise LabelError("a date needs to be counted, and nothing else", where=where, do=_FORM)
    counted = _keys(must["counted"], _COUNTED, {}, where) if "counted" in must else {}
    return Must(
        type=must["type"],
        says=_texts(must["says"], where),
        date=_day(must["date"], where) if "date" in must else None,
        updates=must.get("updates"),
        **counted,
    )


def _must_not(item: object, where: str) -> MustNot:
    rule = _keys(item, _MUST_NOT, {}, where)
    return MustNot(says=_texts(rule["says"], where), reason=rule["reason"])


def _texts(items: Sequence[object], where: str) -> tuple[str, ...]:
    texts = tuple(item for item in items if isinstance(item, str) and item.strip())
    if len(texts) < len(items):
        raise LabelError("every entry of says must be a text", where=where, do=_FORM)
    return texts


def _items(path: Path) -> list[tuple[str, object]]:
    try:
        items = yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise LabelError(f"cannot be read: {error}", where=path, do=_FORM) from error
    if not isinstance(items, list):
        raise LabelError("not a list", where=path, do=_FORM)
    names = [item.get("id", n) if isinstance(item, dict) else n for n, item in enumerate(items, 1)]
    return [(f"{path.name}, {name}", item) for name, item in zip(names, items, strict=True)]


def _keys(
    item: object, needed: Mapping[str, type], optional: Mapping[str, type], where: str
) -> dict[str, Any]:
    if not isinstance(item, dict):
        raise LabelError("not a mapping", where=where, do=_FORM)
    known = {**needed, **optional}
    if odd := sorted(map(str, (needed.keys() - item.keys()) | (item.keys() - known.keys()))):
        raise LabelError(f"missing or unknown: {', '.join(odd)}", where=where, do=_FORM)
    for key, value in item.items():
        if not isinstance(value, known[key]):
            kind = known[key].__name__
            raise LabelError(f"{key} is {value!r} and no {kind}", where=where, do=_FORM)
    return dict(item)


def _moment(text: str, where: str) -> datetime:
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError as error:
        raise LabelError(f"no time: {text!r}", where=where, do=_FORM) from error


def _day(text: str, where: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise LabelError(f"no date: {text!r}", where=where, do=_FORM) from error
