"""What in a message is worth a memory, by rules: the fallback for what a
learner types.

A statement is recognised by its form: "remember", a standing rule, a taste,
who somebody is, a date or decision, a place to look. Questions, suppositions,
quotations, code, secrets and the task at hand are left alone. No existing
memory is ever changed. Left out: any understanding of language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from memlab.evidence.quotes import without_quotes
from memlab.evidence.requests import asks_to_ignore_memory
from memlab.evidence.sentences import split_lines
from memlab.memdir.memory import Memory, MemoryType
from memlab.memdir.rules import better_read_live, check
from memlab.memdir.scan import MemoryHeader
from memlab.memdir.secrets import find_secrets
from memlab.models.standin.calendar import write_dates
from memlab.text import STOP_WORDS, fold_space, terms_of, words

LONGEST = 600  # characters of a sentence; whatever is longer was pasted
TITLE = 60
TOPICS = 5

USER, FEEDBACK = MemoryType.user, MemoryType.feedback
PROJECT, REFERENCE = MemoryType.project, MemoryType.reference


@dataclass(frozen=True)
class Statement:
    """Something to be remembered, in the person's words.

    ``dated`` says that relative times in them were replaced by dates.
    """

    text: str
    type: MemoryType
    dated: bool = False


def find_statements(text: str, at: datetime) -> list[Statement]:
    """Find what a message says that a later conversation will need; most
    messages say nothing.

    Sentences of one kind that follow each other are one statement, and so is a
    plain sentence that explains the one before it.
    """
    if asks_to_ignore_memory(text):
        return []
    found: list[Statement] = []
    open_for_more = supposed = False
    before = ""
    for sentence in _own_sentences(text):
        if _TAKEN_BACK.search(sentence):
            found = found[:-1]
            open_for_more = False
            continue
        supposed = supposed or bool(_SUPPOSED.search(sentence))
        asked_to_remember = _REMEMBER.search(sentence) is not None
        if (supposed and not asked_to_remember) or _is_barred(
            sentence, asked_to_remember
        ):
            open_for_more = False
            before = ""
            continue
        dated, dates = write_dates(sentence, at)
        kind, fact = _classify(
            dated,
            [
                day
                for day in dates
                if day > f"{at:%Y-%m-%d}"[: len(day)] or len(day) == 7
            ],
        )
        if kind is FEEDBACK and len(terms_of(fact)) < 2:  # "Keep doing that."
            kind, fact = (kind, f"{before} {fact}") if before else (None, fact)
        elif kind is not None and not _topics(fact):  # "And yes, 2.10."
            kind = None
        before = dated
        if kind is None and open_for_more and not _IS_TASK.search(sentence):
            found[-1] = _joined(found[-1], dated, dated != sentence)
        elif kind is not None and open_for_more and found[-1].type is kind:
            found[-1] = _joined(found[-1], fact, dated != sentence)
        elif kind is not None:
            found.append(Statement(fact, kind, dated != sentence))
        open_for_more = bool(found) and (open_for_more or kind is not None)
        open_for_more = open_for_more and not _IS_TASK.search(sentence)
    return found


def _joined(statement: Statement, text: str, dated: bool) -> Statement:
    return replace(
        statement,
        text=f"{statement.text} {text}",
        dated=statement.dated or dated,
    )


def asks_to_remember(text: str) -> bool:
    """Tell whether a message asks for something to be remembered."""
    return any(
        _last_request(sentence)
        and not _is_barred(sentence, asked_to_remember=True)
        for sentence in _own_sentences(text)
    )


def gives_secret_to_remember(text: str) -> bool:
    """Tell whether a password or a code is to be remembered, by the words
    around it.
    """
    return any(
        _gives_secret(sentence)
        for sentence in _own_sentences(text)
        if _last_request(sentence)
    )


def persons_name(messages: Iterable[str]) -> str:
    """Return the name that the person gave last, "" if they gave none."""
    found = [
        match[1]
        for text in messages
        for match in _NAME.finditer(without_quotes(text))
        if match[1][0].isupper()
    ]
    return found[-1] if found else ""


def compose(
    statement: Statement, manifest: Iterable[MemoryHeader], name: str = ""
) -> Memory:
    """Make a memory: a phrase as title, when it applies as description, the
    fact as body.

    Words in the first person are quoted as the words of ``name``. Where the
    statement can be seen to correct a memory, the body names it.
    """
    fact, reason = _with_reason(statement.text)
    topics = ", ".join(_topics(statement.text))
    body = statement.text
    if _ME.search(fact):
        body = _quoted(statement, name or "The person")
    when = f"{_WHEN[statement.type]} {topics}"
    corrected = _corrected(statement.text, manifest)
    if corrected:
        body = f"{body.rstrip('.')} (corrects {corrected})."
    if statement.type in (FEEDBACK, PROJECT):
        body += f"\n\n**Why:** {reason or 'The person said so.'}"
        body += f"\n\n**How to apply:** {_APPLIES[statement.type]}"
    return Memory(title_of(statement.text), when, statement.type, body)


def new_memories(
    text: str,
    at: datetime,
    manifest: Iterable[MemoryHeader],
    instructions: str = "",
    name: str = "",
) -> Iterator[Memory]:
    """Compose the memories of a message, without those that the policy would
    refuse.
    """
    known = list(manifest)
    for statement in find_statements(text, at):
        memory = compose(statement, known, name)
        found = check(memory, at, project_instructions=instructions)
        if not any(finding.severity == "refuse" for finding in found):
            yield memory


def _quoted(statement: Statement, who: str) -> str:
    """Say whose words these are; they are unchanged, unless a date had to be
    written out.
    """
    if statement.dated:
        return f"{who} says, with dates: {statement.text}"
    return f'{who} says: "{statement.text}"'


def title_of(text: str) -> str:
    """Make a phrase of a sentence: without subject and auxiliary verb, never
    cut in a clause.
    """
    found = split_lines(text)
    first = (found[0].text if found else text).rstrip(" .!?;:,")
    phrase = _LEAD_IN.sub("", first)
    phrase = _LIKES.sub("", phrase)
    phrase = _AUXILIARY.sub(" ", phrase, count=1)
    phrase = _ARTICLE.sub("", fold_space(phrase)) or first
    ends = [match.start() for match in re.finditer(r"[,;:–(]", phrase)]
    clause = next((end for end in ends if end > 8), len(phrase))
    if clause > TITLE:
        cuts = [
            [
                match.start()
                for match in pattern.finditer(phrase)
                if 8 < match.start() <= TITLE
            ]
            for pattern in (_CLAUSES, _PHRASES)
        ]
        clause = next(
            (found[-1] for found in cuts if found), phrase.rfind(" ", 0, TITLE)
        )
    kept = phrase[:clause].split()
    while (
        len(kept) > 1 and kept[-1].lower().strip(",") in STOP_WORDS - _MAY_END
    ):
        kept.pop()
    title = " ".join(kept).rstrip(" ,;:–-")
    return title[:1].upper() + title[1:]


def _own_sentences(text: str) -> Iterator[str]:
    """Give the person's own sentences: no quotation, no code, no log, no
    pasted paragraph.
    """
    text = _FORMATTING.sub("", text)
    typed = {line.strip() for line in text.splitlines()}
    # A line from which something foreign was cut may say the opposite of what
    # it said before.
    whole = [
        line
        for line in without_quotes(text).splitlines()
        if line.strip() and (line.strip() in typed or "…" in line)
    ]
    if len(whole) > 1:
        whole = [line for line in whole if not _CODE.search(line)]
    own = "\n".join(whole)
    for one in split_lines(_ABBREVIATED.sub(r"\1․ ", fold_space(own))):
        sentence = one.text.replace("․", ".")
        if re.search(r"\w", sentence) and len(sentence) <= LONGEST:
            yield sentence


def _is_barred(sentence: str, asked_to_remember: bool) -> bool:
    """Tell whether nothing of a sentence may be stored, whatever else it says."""
    if _LINK_ALONE.fullmatch(sentence):
        return True
    if sentence.endswith("?") and not (
        asked_to_remember and _POLITE.search(sentence)
    ):
        return True
    if find_secrets(sentence) or _gives_secret(sentence):
        return True
    if (
        _DICTATED.search(sentence)
        or _IN_CODE.search(sentence)
        or any(better_read_live(sentence))
    ):
        return True
    return not asked_to_remember and bool(_FOR_NOW.search(sentence))


def _gives_secret(sentence: str) -> bool:
    return bool(_SECRET.search(sentence) and not _KEPT_IN.search(sentence))


def _classify(
    sentence: str, dates: list[str]
) -> tuple[MemoryType | None, str]:
    """Give the type of memory that a sentence deserves, None for none, and the
    fact in it.
    """
    asked = _last_request(sentence)
    fact = sentence[asked.end() :] if asked else sentence
    fact = fact.strip(" ,:;–-") or sentence
    fact = fact[:1].upper() + re.sub(r"\s*\?$", ".", fact[1:])
    bare = _LEAD_IN.sub("", fact)
    if (
        asked
        and _TO_DO.search(sentence[asked.start() :])
        and not _STANDING.search(fact)
    ):
        return None, fact
    if _OTHERS.search(bare):
        if asked or _AT_WORK.search(bare):
            return (FEEDBACK if _STANDING.search(bare) else PROJECT), fact
        if not dates:
            return None, fact
    if (_NOT_LASTING.search(bare) or _PLAN.search(bare)) and not asked:
        return None, fact
    if _WHO.search(bare) or _TASTE.search(bare):
        return USER, fact
    if _WHERE.search(bare) and not _IS_TASK.search(bare):
        return REFERENCE, fact
    if _RULE.search(bare) or _RULE.search(fact) or _APPROVAL.search(fact):
        return FEEDBACK, fact
    if (dates or _DECISION.search(bare)) and not _IS_TASK.search(bare):
        return PROJECT, fact
    if asked and len(terms_of(fact)) > 1:
        return (USER if _FIRST_PERSON.search(bare) else PROJECT), fact
    return None, fact


def _last_request(sentence: str) -> re.Match[str] | None:
    """Find where a sentence asks for something to be remembered: the last of
    such words.
    """
    found = [
        match
        for match in _REMEMBER.finditer(sentence)
        if len(sentence) - match.end() > 3
    ]
    return found[-1] if found else None


def _topics(text: str) -> list[str]:
    """Give the words that say what a statement is about, in their order."""
    skipped = STOP_WORDS | _FRAME
    found = [
        word for word in words(text) if word not in skipped and len(word) > 2
    ]
    return list(dict.fromkeys(word for word in found if not word.isdigit()))[
        :TOPICS
    ]


def _with_reason(text: str) -> tuple[str, str]:
    """Split off the reason, "" if none was given."""
    found = _BECAUSE.search(text)
    if found is None:
        return text, ""
    reason = text[found.end() :].strip()
    return text[: found.start()], reason[:1].upper() + reason[1:]


def _corrected(text: str, manifest: Iterable[MemoryHeader]) -> str:
    """Name the memory that a correction is about, "" where none or more than
    one fits best.
    """
    if not _CHANGED.search(text):
        return ""
    mine = set(terms_of(text))
    shared = {
        header.filename: len(
            mine & {*terms_of(f"{header.description} {header.filename[:-3]}")}
        )
        for header in manifest
    }
    most = max(shared.values(), default=0)
    best = [file for file, count in shared.items() if count == most]
    return best[0] if most and len(best) == 1 else ""


def _any(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.IGNORECASE)


# What is stored has to be in the person's own words. These frames are made of
# words that the check of attribution does not count, so that they can be added
# to any statement.
_WHEN = {
    USER: "For this person, when it is about",
    FEEDBACK: "When you do something with",
    PROJECT: "When it is about",
    REFERENCE: "When you want something about",
}
_APPLIES = {
    FEEDBACK: (
        "Do so without being told again; ask the person where it may not"
        " apply."
    ),
    PROJECT: "Ask the person whether it is still so.",
}
_FRAME = frozenset(
    words("""
    prefer like love hate please remember note keep make made want really every time everything
    don't stop start here there better best next future session sessions since because thing
    sind eine einen einem nicht bitte immer kein keine mein meine jeden dass oder wird werden dem
    den der die das und ich ist mir für mit auf von bei les des une est que pas pour dans avec mon
    toujours jamais moi tes aux sur qui nous vous
    """)
)
_MAY_END = frozenset(
    words("first last once now own same off out up down on in")
)
_FORMATTING = re.compile(
    r"(?i)</?(?:b|i|em|strong|u|s|small|mark|span|br)\b[^<>]*>"
)
_ABBREVIATED = re.compile(
    r"\b(\d\d?(?=\."
    r" [A-ZÄ][a-zä]{2})|e\.g|i\.e|z\.B|Mrs?|Ms|Dr|Prof|St|No|Nr|ca|etc|vs|approx)\. "
)
_LEAD_IN = re.compile(
    r"(?i)^(?:(?:please|no|nope|yes|great|good|perfect|thanks|thank"
    r" you|ok(?:ay)?|and|so|but|also"
    r"|oh|well|actually|anyway|by the way|fyi"
    r"|just so you know|one more thing|for the record|from now on|in (?:the"
    r" )?future|going forward"
    r"|as a rule|bitte|nein|ja|also|und|ab (?:jetzt|sofort)|künftig|in"
    r" zukunft|s['’]il (?:te|vous)"
    r" pla[iî]t|non|oui|désormais|dorénavant|à l['’]avenir|à partir de"
    r" maintenant|et|that|this"
    r"|dass|que|is that)\b(?!['’])[,:]?\s*)+"
)
_LIKES = re.compile(
    r"(?i)^(?:i(?:['’]d| would)? (?:really |much |strongly"
    r" )?(?:prefer|like|love|want|rather)"
    r"|ich (?:mag|bevorzuge)|je préfère(?: que)?|j['’]aime)\b(?: it when|"
    r" to)?\s*"
)
_AUXILIARY = re.compile(
    r"(?i)(?:^i['’]?m\b|^i am\b|^we(?:['’]ve| have)\b|\b(?:is|are|has|have)"
    r"(?: (?:to be|being|been|going to))?\b|^we['’]re\b|^(?:ich bin|je"
    r" suis)\b)\s*"
)
_ARTICLE = re.compile(
    r"(?i)^(?:an?|the|our|my|we|i|der|die|das|le|la|les|un|une)\s+"
)
_CLAUSES = re.compile(
    r"\s(?=(?:but|because|since|so|that|which|whether|when|where|if|unless|before|after|until|while"
    r"|weil|damit|dass|wenn|bevor|bis|parce|quand|avant)\b)"
)
_PHRASES = re.compile(
    r"\s(?=(?:and|or|with|for|from|under|in|on|at|by|to|as|not|und|oder|mit|für|et|ou|pour|avec)\b)"
)
_REMEMBER = _any(
    r"(?:^|[,;:.]\s*|\b(?:please|and|bitte|also|so|must|should|can you|could"
    r" you|would you|to)\s+)"
    r"(?:(?:do\s+)?remember|memori[sz]e|keep (?:it |this |that )?in mind|bear"
    r" (?:it |this "
    r"|that )?in"
    r" mind|(?:make|take) a note|note(?: down| that|(?=:))"
    r"|(?:don['’]t|do not|never) forget(?=,?"
    r" (?:that|this|i|we|my|our)\b|:))\b(?: (?:this|that"
    r"|it))?(?:\s+(?:for (?:next time|later|the future|me)"
    r"|in future sessions|from now on|going"
    r" forward))*(?:\s+(?:that|of)\b)?\s*[:,]?",
    r"^(?:just so you know|you should (?:also )?know(?: that)?|for the"
    r" record|for the future"
    r"|one thing for the future|i(?:['’]ve)? told you(?: before| already|"
    r" that)*"
    r"|as i said(?: before)?|for (?:your|future)"
    r" (?:information|reference)|fyi)\b[,:]?",
    r"\bmerke?(?:n sie)? (?:dir|ihnen|sich)(?: bitte)?(?: mal)?(?:,?"
    r" dass)?\b[:,]?",
    r"\b(?:denke?|denken sie) (?:bitte )?(?:dran|daran)(?: bitte)?,?(?:"
    r" dass)?[:,]?",
    r"\b(?:notiere?|behalte?) (?:dir )?(?:bitte )?(?:,? dass)?[:,]?"
    r"|\bvergiss (?:bitte )?nicht,? dass",
    r"\b(?:retiens|retenez|note|notez|souviens[- ]toi|rappelle[-"
    r" ]toi|n['’]oublie pas"
    r"|garde en tête)"
    r"(?: bien)?(?: s['’]il te pla[iî]t)?,? (?:que|qu['’])\s*",
)
_POLITE = _any(
    r"\b(?:can|could|would|will|can't) you\b|\bkannst du|\bkönntest"
    r" du|\bpeux-tu|pourrais"
)
_TO_DO = _any(
    r"^\W*(?:please |and )?(?:remember|don['’]t forget|do not"
    r" forget|note|never forget) to\b",
    r"\bdaran,? .*\bzu \w+en\b|^n['’]oublie pas de\b",
)
_TAKEN_BACK = _any(
    r"\b(?:just kidding|only joking|i['’]m joking|scratch that|never ?mind|i"
    r" take that back"
    r"|forget (?:i said|what i (?:just )?said)|kleiner scherz|vergiss es|je"
    r" plaisante"
    r"|laisse tomber)\b"
)
_SUPPOSED = _any(
    r"^(?:suppose|supposing|imagine|assume|assuming|pretend|say|what"
    r" if|let['’]s (?:say|imagine"
    r"|assume|pretend)|angenommen|stell dir vor|nehmen wir"
    r" an|supposons|imaginons|imagine"
    r"|admettons)\b",
    r"(?<!as"
    r" )\bif\b.*\b(?:said|told|had|were|would|wanted|ever|asked|liked|preferred)\b"
    r"|\bwould\b.*\bif\b",
    r"\b(?:was|were) (?:going|about) to\b|\b(?:almost|nearly|might have|could"
    r" have|would have)\b",
    r"\b(?:wenn|falls)\b.*\b(?:würde|hätte|wäre|wollte)|\bsi"
    r" (?:je|on|nous|j['’])\b.*(?:ais|ait"
    r"|ions)\b",
    r"\b(?:maybe|perhaps|vielleicht|peut-être|not sure|i wonder|in theory|one"
    r" day i)\b",
)
_CODE = re.compile(
    r"^(?:"
    r" {4,}|\t)|[{};]\s*$|//|\s--\s|^\s*(?:#|--|/\*|\$|>>>|\*)|\)\s*[:{]|\w\(.*\)\s*$"
    r"|^\s*(?:def|class|import|from \w+"
    r" import|return|select|insert|update|where|const|let|var)\b"
)
_SECRET = _any(
    r"\b(?:password|passwort|kennwort|passphrase|passcode|mot de"
    r" passe|mdp|pin|api[- ]?key|token"
    r"|(?:door|alarm|safe|entry|access)["
    r" -]code|credentials|zugangscode|geheimzahl|code pin)\b"
    r"(?=.*(?:\d|\bis\b|['’]s\b|\blautet\b|\bist\b|\best\b|:))"
)
_KEPT_IN = _any(
    r"\b(?:kept|stored|is in the|are in the|in the safe|password"
    r" manager|liegt|rangé)\b"
)
_DICTATED = _any(
    r"^(?:please |bitte |now"
    r" )?(?:write|draft|translate|send|tell|reply|add|insert|schreib|übersetz"
    r"|écris|traduis)\w*\b[^:]*:"
)
_IN_CODE = _any(
    r"\bCLAUDE\.md\b",
    r"\bhow (?:the|our|this|that) .*\bworks\b",
    r"(?<![\w/.])(?:src|app|lib|tests?|sql|scripts)/[\w/.-]+",
)
_LINK_ALONE = re.compile(r"\W*https?://\S+\W*")
_FOR_NOW = _any(
    r"\b(?:for now|for the moment|right now|at the moment|this time|just this"
    r" once|this once"
    r"|only once"
    r"|(?:in|for|of|with) this"
    r" (?:one|file|run|loop|case|draft|chapter|function|script|page|table"
    r"|picture|image|email|mail|letter|version|branch|commit|test|query|paragraph|list|slide)"
    r"|of the (?:two|three|four)|the other one|that one|this one|go"
    r" with|let['’]s see|so far"
    r"|already"
    r"|diesmal|im moment|fürs erste|dieses mal|cette fois|pour"
    r" l['’]instant|pour le moment)\b"
)
_IS_TASK = _any(
    r"^(?:please |now |then |so |ok(?:ay)?,? |and |first |next |bitte"
    r" )*(?:can|could|would|will"
    r"|let['’]s"
    r"|let"
    r" me|show|fix|add|draft|change|rename|move|delete|remove|sort|open|send|look|check|find"
    r"|tell"
    r"|explain|create|build|try|translate|summari[sz]e|list|compare|convert|run|help|have"
    r" a look"
    r"|get"
    r"|i need|i want|i['’]d like|we need|you"
    r" (?:can|may)|zeig|kannst|könntest|mach|schreib|füge"
    r"|prüf"
    r"|peux|pourrais|montre|ajoute|corrige)\b(?!.*\b(?:always|whenever|every"
    r" time|immer"
    r"|toujours)\b)"
)
_FIRST_PERSON = _any(
    r"^(?:i|i['’]\w+|my|me|we|we['’]\w+|our|ich|mein\w*|wir|unser\w*|je|j['’]|mon|ma"
    r"|mes|nous|on|notre|nos)\b(?!"
    r" (?:boss|colleague|wife|husband|client|customer))"
)
_ME = _any(
    r"\b(?:i|i['’](?:m|ve|d|ll)|me|my|mine|ich|mir|mich|mein\w*|je|moi|mon|ma|mes)\b|\bj['’]"
)
_NAME = re.compile(
    r"\b(?:[Mm]y (?:first )?name(?:['’]s| is)|[Cc]all me|[Ii]ch heiße"
    r"|[Jj]e m['’]appelle) (\w[\w'’-]*)"
)
_OTHERS = _any(
    r"^(?:(?!(?:i|we|you|ich|wir|je|nous|how|what|who|if)\b)[\w'’-]+["
    r" ,]+){1,6}?(?:prefers?"
    r"|wants?|likes|like (?!that|this)"
    r"|loves?|hates?|insists?|asked|asks|expects?|would like|(?:always|never)"
    r" \w+|can['’]t stand"
    r"|dislikes?"
    r"|möchte|mag|bevorzugt|hasst|préfère|veut|aime|déteste|demande|exige)\b"
)
_AT_WORK = _any(
    r"\b(?:boss|chief|manager|head"
    r" of|director|client|customer|team|association|committee|council"
    r"|board|office|ministry|publisher|editor|professor|supervisor|department|school|principal"
    r"|auditors?"
    r"|accountant|lawyer|union|sponsor|owner|landlord|inspector|authority|company|reviewers?"
    r"|curator"
    r"|readers|members|patients|parents|users|chefin?|kund\w+|verein|amt|vorstand|leitung|behörde"
    r"|cheffe?|cliente?|patronne?|direct\w+|mairie|comité|association)\b"
)
_STANDING = _any(
    r"\b(?:always|never|from now on|in future|in the future|going forward|as a"
    r" rule|by default"
    r"|every"
    r"|each|whenever|any|everything|no longer|any ?more|immer|nie(?:mals)?|ab"
    r" jetzt|ab sofort"
    r"|künftig"
    r"|in zukunft|jede[nrms]?|grundsätzlich|toujours|jamais|désormais|dorénavant|chaque"
    r"|à l['’]avenir)\b"
)
_NOT_LASTING = _any(
    r"^i(?:['’]m| am) (?:halfway|in the middle|working"
    r" on|looking|trying|testing|getting|seeing"
    r"|done"
    r"|stuck|not sure|going to|about"
    r" to|waiting|back|sorry|afraid|glad|happy|curious|wondering"
    r"|thinking"
    r"|just|almost|writing|running|doing|on (?:page|line|step))\b",
    r"^i (?:like|love|prefer|hate|want) (?:it|that|this|the \w+"
    r" (?:one|version)|how|what|these"
    r"|those)\b",
    r"^don['’]t (?:worry|bother|mind|know|think|understand|you|forget to)\b",
)
_PLAN = re.compile(
    r"(?i)^(?:on |in |by )?\d{4}-\d\d(?:-\d\d)?(?:\s*[:–]| first\b)"
    r"|\bhalf[- ](?:done|finished)\b|\bhalb fertig\b|\bà moitié fini"
)
_WHO = _any(
    r"^i(?:['’]m| am) (?:not )?(?:an?|the|in"
    r" charge|responsible|new|deaf|blind|colou?r|left|right"
    r"|dyslexic|allergic|based|usually|never|always|only|fluent|from|at"
    r" (?:work|my desk|home)"
    r"|in the"
    r"|on (?:call|leave)|retired|self-|\w+(?:ist|er|ian|or)\b)",
    r"^i (?:work|teach|study|studied|speak|read|live|run|own|lead|manage|sing|play|grew up"
    r"|trained)\b",
    r"^i (?:can(?:['’]t|not)?|don['’]t|do not|know|understand|have"
    r" (?:never|no|only|a|been)) "
    r"(?:a"
    r" (?:bit|little)|read|write|speak|know|see|hear|type|understand|any|no|how|about|very"
    r"|never"
    r"|nothing|enough|much|used?|learn|work|code|program|\w+ (?:well|years))",
    r"^i(?:['’]m| am) (?:used to|better at|good at|bad at|more of|no|not"
    r" (?:good|used|very|so"
    r"|really))\b",
    r"^i['’]ve (?:never|been|only|used|worked|taught)|^(?:my|mein\w*|mon|ma)"
    r" (?:name|job"
    r"|background|first"
    r"|native|mother|eyes?|hearing|english|french|german|name|beruf|nom|métier|eyesight"
    r"|profession|days)\b",
    r"^call me\b|\bnobody has ever (?:taught|shown) me\b|^ich"
    r" (?:bin|arbeite|heiße|kann|kenne"
    r"|spreche"
    r"|unterrichte|verstehe|habe (?:noch )?nie)\b|^je"
    r" (?:suis|travaille|parle|ne (?:connais|sais"
    r"|parle)"
    r"|m['’]appelle)\b|^nennen? (?:sie )?mich\b|^appelle[- ]moi\b",
)
_TASTE = _any(
    r"^i(?: (?:really|much|strongly|always|generally|usually|simply|still))?"
    r" (?:prefer|like|love"
    r"|hate"
    r"|dislike|enjoy|can['’]t stand|cannot stand|detest)\b(?!d)|^i['’]d"
    r" (?:much )?rather\b"
    r"|^i['’]m (?:not )?(?:fond|a fan|keen)",
    r"^i (?:don['’]t|do not|never)"
    r" (?:want|like|need|use|drink|eat|enjoy|read|write)\b",
    r"^i (?:always|never)"
    r" (?:want|put|write|start|begin|test|check|name|commit|format|document"
    r"|plan|review|keep|work)\b",
    r"^(?:it helps me|it['’]s (?:easier|hard|harder|difficult|best) for me"
    r"|i understand .* better)\b",
    r"^(?:for me|to me|my (?:favou?rite|preferred|preference))\b|^i find .*"
    r" (?:hard|easier"
    r"|difficult)",
    r"^ich (?:mag|bevorzuge|hasse|liebe|hätte lieber|\w+ (?:\w+ )?(?:lieber|am"
    r" liebsten|gern\w*))\b"
    r"|^mir ist .*lieber|^mir gef",
    r"^je (?:préfère|déteste|n['’]aime)\b|^j['’](?:aime|adore)\b(?!rais)|^tutoie"
    r"|^tu peux me tutoyer",
)
_WHERE = _any(
    r"(?:\b|['’])(?:is|are|re|s|lives?|kept|keep|find|found|tracked|track|reported|stored|listed"
    r"|posted|documented"
    r"|look|see|liegt|liegen|steht|stehen|findest|findet|sind|ist|se"
    r" trouve\w*|est|sont)\b.*"
    r"\b(?:shared"
    r" drive|drive|folder|dashboard|tracker|wiki|channel|spreadsheet|handbook|binder"
    r"|intranet|confluence|notion|jira|trello|sharepoint|nextcloud|dropbox|calendar|server|website"
    r"|archive|ticket"
    r" system|laufwerk|ordner|ablage|handbuch|netzlaufwerk|serveur|dossier"
    r"|classeur|site"
    r"|lecteur|tableau de bord|cupboard|shelf|nas|disk|cabinet|drawer)\b",
    r"\b(?:[\w-]+\.)+(?:example|org|com|net|de|fr)\b|https?://",
)
_RULE = _any(
    r"\b(?:always|never|immer|nie|toujours|jamais)\W*$",
    r"^(?:no|not) (?:\w+"
    r" ){1,4}?(?:in|on|for|to|at|without|with|before|after)\b",
    r"^i(?:['’]d like| would like| want| need) you (?:to |never |always )"
    r".*\b(?:always|never|before|every|each|when|whenever|only)\b|^i"
    r" (?:don['’]t"
    r"|never) want you to\b",
    r"^(?!you\b).*\b(?:in|on|for|to|with) (?:all|every|each|any) (?:of"
    r" )?(?:our|my)\b"
    r"|^we .*\b(?:everyone|everybody|nobody|no one)\b|^n['’]\w+"
    r" (?:plus|jamais|pas)\b",
    r"\bfrom now on\b|\bin (?:the )?future\b|\bgoing forward\b|\bas a"
    r" rule\b|\bwithout exception\b"
    r"|\bby default\b|\bab (?:jetzt|sofort)\b|\bkünftig\b|\bin"
    r" zukunft\b|\bgrundsätzlich\b"
    r"|\bdésormais\b|\bdorénavant\b|\bà l['’]avenir\b|\bà partir de"
    r" maintenant\b",
    r"^(?:always|never|stop \w+ing|don['’]t|do not|avoid|no"
    r" more|immer|nie(?:mals)?"
    r"|hör(?:en sie)? auf"
    r"|ne \w+ (?:plus|jamais|pas)|arrête|évite)\b",
    r"^(?:use|write|keep|put|ask|give|answer|leave|make|start|say|spell|call|name|talk|round|format"
    r"|read|show|explain|run|check|wait|verwende?|schreib|frag|nutz|benutz|erklär|antworte|utilise"
    r"|écris|mets|demande|réponds|explique)\w*\b.*(?:\b(?:always|never|whenever|before"
    r" you|when you"
    r"|when i|unless|every time|each time|immer|nie|jedes"
    r" mal|toujours|jamais|chaque fois)\b"
    r"|\b(?:in|for|on|with)"
    r" (?:every|each|all|any)\w*\b.*\b(?:we|i|our|my|here)\b)"
    r"|^use\b.*\b(?:not|only|instead of|rather than)\b",
    r"^(?:we|wir|nous)"
    r" .*\b(?:everything|everywhere|every|each|all|überall|alles|partout|tout)\b",
    r"^(?:we|you|here|wir|du|nous|tu|on|ici|hier)(?:['’]\w+)? (?:\w+"
    r" )?(?:always|never|only"
    r"|don['’]t"
    r"|do not|no longer|immer|nie|nur|toujours|jamais|n['’]?e?)\b",
    r"^(?:we|wir|nous) (?:[\w'’-]+"
    r" ){1,12}(?:here|immer|nie|toujours|jamais)\b|^here[, ] ?(?:we"
    r"|it)\b",
    r"^(?:no|not|non|nein|nicht)\b.*\b(?:our|here|we|bei uns|hier|chez"
    r" nous|unser\w*|notre|ici)\b",
    r"\b(?:has|have) to (?:be|have|go|come)\b.*\b(?:always|every|each|all)\b"
    r"|^(?:every|each|all|any|no|jede[rs]?|alle|kein\w*|chaque|tou[ts]\w*|aucun\w*)"
    r" .*\b(?:must"
    r"|should"
    r"|has to|have"
    r" to|needs?|gets?|goes?|muss|müssen|soll\w*|bekommt|doit|doivent)\b",
)
_APPROVAL = _any(
    r"\bexactly (?:the right|what|how|like)\b|\bkeep (?:the|my|your|our)"
    r" .*(?:like that"
    r"|that way)\b",
    r"\b(?:was|is|were) (?:exactly )?(?:the right"
    r" (?:call|choice|decision|way)|right|perfect"
    r"|exactly what)\b",
    r"\b(?:keep (?:doing|it (?:like|that way|up)|that|this)|do it (?:like"
    r" (?:that|this)|that way"
    r"|the same"
    r" way) (?:again|every|always|from)|please don['’]t[.!]*$|just like"
    r" that|more of that"
    r"|mach(?:e)? (?:das )?weiter so"
    r"|continue comme ça|genau so)\b",
)
_DECISION = _any(
    r"\b(?:has|have) (?:left|joined|retired|resigned|asked us)\b|\b(?:is|are)"
    r" leaving\b",
    r"\bwe(?:['’]re| are) (?:not |no longer"
    r" )?(?:allowed|required|obliged|supposed)\b"
    r"|\b(?:by law|new law|the law|legally|regulations?|gdpr)\b",
    r"\bwe(?:['’]ve| have)?"
    r" (?:decided|agreed|switched|moved|dropped|frozen|chosen|changed|given up"
    r"|settled|stopped|ended|postponed|cancell?ed|bought|hired|outsourced)\b",
    r"\b(?:has|have|had|was|were|is|are) (?:been |being |now"
    r" )?(?:decided|agreed|cancell?ed"
    r"|postponed"
    r"|frozen|moved|dropped|closed|replaced|switched off|in"
    r" charge|responsible|on (?:parental "
    r"|sick )?"
    r"leave|taking over|discontinued|approved|banned)\b",
    r"\b(?:answers for|takes over|is taking over|stands in for|kümmert"
    r" sich|übernimmt|ist zuständig"
    r"|wir haben (?:\w+"
    r" ){0,8}(?:beschlossen|entschieden|umgestellt|geändert)|on a (?:décidé"
    r"|changé)"
    r"|nous avons (?:décidé|changé|choisi)|s['’]occupe|est responsable)\b",
)
_BECAUSE = re.compile(
    r"(?i),?\s*\b(?:because(?: of)?|since (?=we|i|it|the|they)|weil|denn|parce"
    r" qu(?:e |['’])"
    r"|car)\s*"
)
_CHANGED = _any(
    r"\b(?:out of date|outdated|no longer|not any ?more|any"
    r" ?more|switched|changed|instead|now"
    r"|wrong"
    r"|not true|from now on|veraltet|nicht mehr|jetzt|ab"
    r" jetzt|stattdessen|désormais|ne .* plus"
    r"|maintenant|changé)\b"
)
