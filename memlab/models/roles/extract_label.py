"""What one sentence of the person anchors: a type and a kind, by the first
rule that fits.

Left out: what its neighbours add (``extract_find``), and how the signs sound.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from memlab.models.roles import extract_facts as fact
from memlab.models.roles import extract_signs as sign
from memlab.models.roles.extract_dates import absolute
from memlab.models.roles.extract_heard import Known, Message
from memlab.models.roles.extract_never import is_reported, speaks_to_agent
from memlab.text import terms_of, words

_STEP = re.compile(
    r"(?i)\bI(?:['’]ll| will| am going| want to| need to| have to| would like"
    r" to|['’]d like)\b"
)
Label = tuple[str, str]
_NO = re.compile(r"(?i)^(?:no|nope|not|nothing|nein|non)\b")
_VERB = re.compile(
    r"(?i)\b(?:is|are|was|were|has|have|takes?|gets?|comes?|goes|uses?|does|derives?)\b"
)


def label_of(one: str, message: Message, at: datetime) -> Label | None:
    """Say what a sentence anchors, by the first rule that fits."""
    if re.match(r"(?i)(?:until|by|after|before|till) (?:then|that)\b", one):
        return None
    wide, here = sign.EVERYWHERE.search(one), sign.HERE.search(one)
    reported = is_reported(one)
    rule = bool(sign.RULE.search(one)) and not (
        sign.NOT_A_RULE.search(one) or reported
    )
    rule = rule or bool(sign.PROJECT.search(one) and sign.WE_DO.search(one))
    mine = wide or (sign.TO_READER.search(one) and not here)
    if fact.HOST.search(one) and _points(one):
        return "reference", "pointer"
    if sign.NOTE_THAT.search(one):
        return "project", "note"
    if fact.ABOUT_ME.search(one) and not reported:
        return "user", "background"
    if sign.TASTE.search(one) and not _is_step(one):
        return ("user", "taste") if wide or not here else ("feedback", "rule")
    if _is_due(one, at) and not (rule and mine):
        return "project", "deadline"
    if fact.DECISION.search(one):
        return "project", "decision"
    if _points(one):
        return "reference", "pointer"
    if (
        wide
        and not reported
        and (rule or sign.TO_READER.search(one) or _is_wish(one))
    ):
        return "user", "taste"
    if sign.STAY.search(one) and not reported and message.before:
        return "feedback", "confirmation"
    if fact.POINTS_BACK.search(one):
        return "reference", "there"
    if rule or (sign.PROJECT.search(one) and sign.IMPERATIVE.search(one)):
        return ("user", "taste") if mine else ("feedback", "rule")
    return _weak_label(one, message, reported)


def changed_matter(one: str, known: Sequence[Known]) -> Label | None:
    """Say whether a sentence tells that the matter of a memory is another now."""
    if not fact.MOVED.search(one):
        return None
    terms = set(terms_of(one))
    for each in known:
        stem = set(terms_of(each.file.removesuffix(".md").replace("-", " ")))
        if each.type and stem and len(stem & terms) >= 0.5 * len(stem):
            return each.type, "update"
    return None


def _weak_label(one: str, message: Message, reported: bool) -> Label | None:
    here, said = sign.HERE.search(one), message.sentences
    if (
        sign.PRAISE.search(one)
        and message.before
        and len(words(" ".join(said))) > 7
    ):
        return "feedback", "praise"
    corrected = any(sign.UNDO.search(each) for each in said)
    refuses = re.search(
        r"(?i)^(?:no,? |please )?(?:don['’]t|do not) \w+ \w+", one
    )
    general = (
        here or refuses or sign.GENERIC.search(one) or sign.WE_DO.search(one)
    )
    if corrected and general and not reported:
        return "feedback", "general"
    asked_back = any(
        re.search(r"(?i)surpris|unexpected|überrasch|surpren", x)
        for x in message.before
    )
    if asked_back and not _NO.search(said[0]):
        return "project", "note"
    return ("project", "note") if sign.REMEMBER.search(one) else None


def _points(one: str) -> bool:
    """Say whether a sentence tells where to look outside the repository."""
    if host := fact.HOST.search(one):
        rest = one.replace(host[0], " ")
        signs = (fact.PLACED, sign.REMEMBER, fact.SYSTEM)
        return any(each.search(rest) for each in signs)
    tells = re.search(r"\bI (?:\w+ed|went|saw|came|was)\b", one)
    return (
        bool(
            fact.SYSTEM.search(one) and fact.PLACED.search(one) and _named(one)
        )
        and not tells
    )


def _named(one: str) -> bool:
    """Say whether a place has a name: a word with a capital inside the
    sentence, or a number.
    """
    return bool(
        re.search(
            r"\d\d|(?<!^)(?<![.!?] )\b[A-Z][\w-]+|\b[a-z]+-[a-z]+\b", one
        )
    )


def _is_due(one: str, at: datetime) -> bool:
    if _is_step(one) or not fact.DUE.search(one):
        return False
    return bool(absolute(one, at.date()).ahead(at.date()))


def _is_step(one: str) -> bool:
    """Say whether a sentence is about what the person does or wants next."""
    return bool(_STEP.search(one)) and not sign.EVERYWHERE.search(one)


def _is_wish(one: str) -> bool:
    """Say whether a sentence is meant for the agent: it speaks to somebody, or
    has no verb.
    """
    speaks = (
        sign.WANT.search(one)
        or sign.IMPERATIVE.search(one)
        or speaks_to_agent(one)
    )
    head = sign.EVERYWHERE.split(one)[0]
    return bool(speaks or not _VERB.search(head))
