"""What the rules leave alone: questions, jokes, guesses, and what is never
stored.

Told by forms of words. Left out: irony that no word gives away.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memlab.memdir.secrets import find_secrets
from memlab.models.roles.extract_facts import HOST
from memlab.models.roles.extract_signs import REMEMBER, RULE, sign
from memlab.text import terms_of, words


def is_never_stored(sentence: str) -> bool:
    """Say whether a sentence holds what is read live, or is about the task at
    hand.
    """
    rest = HOST.sub(" ", sentence)
    return any(
        sign.search(rest) for sign in (_LAYOUT, _CODE, _GIT, _DEBUGGING, _TASK)
    )


def is_no_statement(sentence: str) -> bool:
    """Say whether a sentence is a question, a guess, an order to forget, or an
    aside.
    """
    asks = sentence.endswith("?") and not re.search(
        r"(?i)^(?:can|could|would|will) you\b", sentence
    )
    answers = len(words(sentence)) < 5 and _ANSWERS.search(sentence)
    leads = sentence.endswith(":") or re.match(
        r"(?i)(?:please )?forget\b", sentence
    )
    return bool(
        asks
        or answers
        or leads
        or _GUESS.search(sentence)
        or not words(sentence)
    )


def is_in_jest(sentences: Sequence[str]) -> bool:
    """Say whether the person gives away that they do not mean it."""
    cheers = bool(sentences) and _CHEERS.search(sentences[0])
    asks = any(REMEMBER.search(one) for one in sentences)
    return any(_JEST.search(one) for one in sentences) or bool(cheers and asks)


def learns(sentences: Sequence[str]) -> bool:
    """Say whether the person only repeats what they have just understood."""
    opens = bool(sentences) and _LEARNS.search(sentences[0])
    return bool(opens) or any(_LEARNS_END.search(one) for one in sentences)


def speaks_to_agent(sentence: str) -> bool:
    """Say whether a sentence is about the person or meant for the agent."""
    return bool(_PERSONAL.search(_LEARNS.sub("", sentence)))


def takes_back(sentences: Sequence[str]) -> bool:
    """Say whether a message takes back the one before."""
    return any(_TAKES_BACK.search(one) for one in sentences[:2])


def is_reported(sentence: str) -> bool:
    """Say whether a sentence tells what somebody or something else says or
    likes.
    """
    head = re.split(r"[:;]\s", _WHATEVER.sub("", sentence))[0]
    told = _REPORTED.search(head)
    return bool(told and not RULE.search(head[: told.start()]))


def speaks_of_secrets(text: str) -> bool:
    """Say whether a text is about a password, a key or the like."""
    return bool(_SECRET.search(text))


def holds_secret(sentence: str, *, near: bool) -> bool:
    """Say whether a sentence may hold a secret; ``near`` when one is spoken of
    around it.
    """
    if any(find_secrets(sentence)) or _TOKEN.search(sentence):
        return True
    return near and bool(_VALUE.search(sentence))


def stands_in(sentence: str, instructions: str) -> bool:
    """Say whether the project's instructions hold what a sentence says, by the
    words they share.
    """
    mine = {_root(term) for term in terms_of(sentence)} - _PLAIN
    for line in re.split(r"\n|(?<=[.!?])\s", instructions):
        theirs = {_root(term) for term in terms_of(line)} - _PLAIN
        shared = mine & theirs
        if shared and (
            len(shared) >= 0.6 * len(mine)
            or len(shared) > 0.5 * len(theirs) > 0.5
        ):
            return True
    return False


def _root(term: str) -> str:
    return term[:4] if len(term) > 4 else term


_PLAIN = {
    _root(term)
    for term in terms_of("project everything rule thing repo here way please")
}
_LAYOUT = sign(r"""
    (?<![\w./-])(?:~|\.{1,2})?/?(?:[\w.-]+/){1,}[\w.-]*
        \b(?<!and/or)(?<!24/7)(?<!\d/\d)(?<!he/she)
    | \b[\w-]+\.(?:py|[jt]sx?|go|rs|rb|java|kt|c|h|cpp|cs|php|sql|sh|toml|ya?ml|json|css|html
        |lock|swift|ex|hs|env)\b | (?<!\w)\.env\b
    """)
_CODE = sign(r"""
    \b[a-z]+_[a-z_]+\b | \b[a-z]+[A-Z]\w+\( | \w\(\) | `[^`]*[_(){}=<>;&'][^`]*`
    | \b(?:function|method|class|struct|module|handler|parser|lexer|decorator|interface|subclass
        |middleware|column|endpoint|constructor|hook|controller|error)e?s?\b[^.]{0,40}?\b(?:is
        |are|takes?|returns?|works?|calls?|inherits?|lives?|sits?|wraps?|extends?|implements?
        |go(?:es)?|stands?)\b(?!.*\b(?:never|always|must|until|by|before|because)\b)
    | \b(?:how|where)\sthe\s\w+(?:\s\w+)?\s(?:works?|is\s(?:built|done|made|laid\sout)|are|lives?
        |sits?)\b
    """)
_GIT = sign(r"""
    (?<![\w&/])\#\d+\b
    | \b(?:PR|MR|pull\srequest|merge\srequest|issue|ticket)s?\s(?:number\s)?\#?\d+\b
    | \b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b
    | \b\d{3,}\s(?:waits|is\smine|can\sgo|goes\sin|is\smerged)\b
    | \b(?:was|were|got|has\sbeen|have\sbeen)\s(?:merged|reverted|cherry-picked|committed|rebased
        |rewritten\sby)\b | \bI\s(?:merged|pushed|committed|reverted|rebased)\b
    | \blast\scommit\b
    """)
_DEBUGGING = sign(r"""
    \b(?:stack\s?trace|traceback|error\smessage)s?\b
    | \b(?:error|undefined|exception|traceback|segfault|crash(?:es|ed)?|fails?|failed|hangs?
        |broken|red|stuck|stale|(?-i:E[A-Z]{4,})|\d{3}s?)\b.{0,80}\b(?:means?|then|delete|wipe
        |clear|rerun|re-run|run|remove|reinstall|restart|helps?|rebuild|try)\b(?!.*\bnever\b)
    | \b(?:fixe[sd]|solved|cured|helps|helped)\b.{0,40}\b(?:by|it|with|to)\b
    | \bthe\s(?:trick|fix|cure|workaround)\s(?:is|was)\b
    | \bonly\s(?:a|the)\s(?:restart|reboot|rebuild)\b | \bwipe\b.{0,30}\b(?:build|cache)\b
    """)
_TASK = sign(r"""
    \bhalf[\s-](?:done|finished|way|written)\b | \bhalfway\b
    | \bstill\s(?:missing|red|failing|to\sdo|open|broken|unfinished)\b
    | \btests?\s(?:is|are|stay|fail)\b
    | \bI['’]m\s(?:stopping|done|off|going\s(?:home|to\sbed))\b
    | \bthat['’]s\sit\sfor\stoday\b
    | \b(?:tomorrow|tonight|later|next|on\smonday)\s(?:first|I|I['’]ll|we['’]ll|then
        |morning\sI)\b
    | \b(?:I['’]ll|we['’]ll|I\swill|let['’]s|I)\s(?:\w+\s){0,3}(?:continue|pick|finish|look
        |go\son|do\s(?:it|that|the)|fix|write\sthe|review|check|try|test|start\swith)\b
    | \b(?:left\s(?:off|to\sdo)|in\sprogress|WIP|so\sfar|next\sstep|to-?do|remaining|where\s(?:I
        |we)\s(?:was|were|stopped|left))\b | \bin\s(?:a\s(?:minute|moment)|an\shour)\b
    | \btomorrow\sfirst\b | \bone\stest\b | \bfirst\sthe\b
    | \bthen\sthe\s(?:rest|other|tests?)\b | \bhalb\sfertig\b
    | \bmorgen\s(?:mache|geht|zuerst|früh|weiter)\w*\b | \bbei\s(?:der\s)?zeile\b
    | \bfehlt\snoch\b | \bnoch\s(?:rot|offen)\b | \bdemain\s(?:je|on|d['’]abord)\b
    | \bil\s(?:me\s)?reste\b | \bà\smoitié\b
    | \bje\s(?:reprends|continue|m['’]arrête|finis)\b | \bhöre\sauf\sfür\sheute\b
    | \best\s(?:encore\s)?rouge\b
    """)
_ANSWERS = sign(r"""
    ^(?:and\s|so\s|but\s|oh\s|ah\s|well,?\s)?(?:yes|yeah|no(?=[\s,.!]*(?:no)?[,.!]|$)|nope|ok
        |okay|good|fine|thanks|thank|great|nice|perfect|right|wonderful|works|ha|hm+|sure|lovely
        |later|lucky|done|bye|sorry|exactly|in\sa|coffee|i\ssee|got\sit|fix|draw|merge|delete|go
        |run|ja|nein|danke|merci|oui|non|gut|bien|stimmt|genau|please|do\sit|stop|wait
        |that['’]ll)\b
    """)
_GUESS = sign(r"""
    ^if\sI\s(?:liked|were|had|wanted|preferred|was|hated|could)\b
    | \b(?:suppose|imagine|let['’]s\ssay|let['’]s\spretend|pretend)\b
    | \bI\s(?:used\sto\s(?:like|prefer|love|hate)|would\shave|might\shave|wonder)\b
    | \bwenn\sich\b.*\b(?:wäre|hätte|möchte)\b
    | ^(?:maybe|perhaps|possibly|vielleicht|peut-être)\b
    | \b(?:not\ssure|no\sidea|don['’]t\sknow\s(?:yet|if|whether|why))\b
    | ^(?:ah|oh|aha|okay|ok)?[,!]?\s?(?:I\ssee|got\sit|understood|that\sexplains|so\sthat['’]s
        |so\san?\s) | \bsi\sj['’](?:étais|avais|aimais)\b
    | \bI['’]m\s(?:thinking\sabout|considering|toying)\b | \bwe\s(?:might|may|could)\b
    """)
_JEST = sign(r"""
    \b(?:gravestone|tombstone|tattoo|embroider|cushion|just\skidding|kidding|joking|joke
        |said\sno\sone|sarcas\w*|ironic\w*|irony|i\s(?:simply\s|just\s|do\s)?adore|my\s(?:dream
        |wildest)|i\slive\sfor|grabstein|scherz|witz|plaisante|blague|christmas\scard|my\swill\b
        |fan\sclub|bucket\slist|frame\sit|medal|worship|over\smy\sdead)\b
    | nothing\sI\s(?:love|like)\smore
    | \b(?:can|could)(?:['’]t|not|\snever)\s(?:get|have)\senough\b
    | \bso\smuch\s(?:more\s)?(?:fun|exciting)\b | \b(?:queen|king)\sof\b | \bnext\slife\b
    | \bmakes?\s(?:my|the)\s(?:day|week|weekend)\b | \bwhat\sa\s(?:joy|treat|delight)\b
    | \bbig(?:gest)?\sfan\b | \bfavou?rite\s(?:hobby|pastime)\b | \bcan['’]t\swait\sto\b
    | \bbliss\b | \bmasochis\w* | \bsuffer\w*\senough\b | \bpure\spoetry\b | ;-\) | :-?P\b
    | \bhaha\b | \boh,?\s(?:sure|great|joy|wonderful)\b
    | ^of\scourse\sI\s(?:love|adore|like) | \bwho\sdoesn['’]t\b
    | \bwhat\scould\s(?:possibly\s)?go\swrong\b | \bbecause\s(?:sleep|weekends|who\sneeds)\b
    """)
_CHEERS = sign(r"""
    ^(?:great|wonderful|lovely|marvell?ous|brilliant|fantastic|splendid|terrific|fabulous
        |hurray)(?:[.!]|,?\s(?:another|yet|now|again)\b)
    """)
_LEARNS_END = sign(r"""
    \b(?:got\sit|understood|makes\ssense|good\sto\sknow|neat|consistent|that\sexplains|verstanden
        |compris)[.!]?$
    """)
_LEARNS = sign(r"""
    ^(?:(?:ah|aha|oh|ach)\b|i\ssee|interesting|(?:ok(?:ay)?|right|good|hm+)?,?\s?so\s(?:the|that
        |it|they|an?|all|tests?|every)\b|got\sit|understood|right,\sthe\b|ach\sso|verstehe
        |(?:ah,?\s)?je\svois|compris)
    """)
_PERSONAL = sign(r"""
    \b(?:I|me|my|mine|you|your|please|ich|mir|bitte|je|moi)\b
    | \b(?:goes|holds|applies|counts|is\strue|valid)\s(?:for|every)
    """)
_TAKES_BACK = sign(r"""
    \b(?:scratch|forget|strike|ignore)\s(?:that|it|what\sI)\b | \bnever\s?mind\b
    | \btake\s(?:that|it)\sback\b
    | \b(?:just|only|was)\s(?:kidding|joking|testing|a\sjoke)\b
    | \bdon['’]t\s(?:save|store|remember|note|keep|write)\s(?:that|it|this)\b
    | \bI\sdidn['’]t\smean | \bthat\swas\sa\sjoke\b | \bvergiss\s(?:das|es)\b
    | \boublie\sça\b | \bon\ssecond\sthoughts?\b
    """)
_REPORTED = sign(r"""
    \b(?:says?|said|writes|wrote|reads|claims|suggests|recommends|they\s\w+|asks|asked|wants
        |likes|prefers|loves|hates|insists|thinks
        |believes)\b(?<!I\sasked)(?<!we\sasked)(?<!you\sasked)
    """)
_WHATEVER = sign(r"""
    \b(?:whatever|no\smatter\swhat)\b.{0,40}\b(?:says|thinks|wants|suggests)\b
    """)
_SECRET = sign(r"""
    \b(?:pass(?:word|wd|phrase|code)s?|secrets?|tokens?|credentials?|(?:api|access|private
        |signing|secret|ssh|licen[cs]e|door|deploy|master)[\s-]?(?:key|code)s?|new\skey|keys|PIN
        |401|403|log-?in|passwort\w*|kennwort\w*|schlüssel|zugangs\w+|mot\sde\spasse|jeton|clé
        |code\s(?:is|for))\b
    """)
_TOKEN = re.compile(
    r"(?<![\w./#@-])(?!\d{4}-\d\d)(?=[\w-]*\d)(?=[\w-]*[a-z])(?=[\w-]{9,})\w+(?:-\w+)*"
    r"(?<!\dth)(?<!\dst)(?![\w.]*\.(?:example|com|org))|[A-Za-z0-9+/]{24,}={0,2}"
)
_VALUE = re.compile(
    r"(?i)\b(?:is|it['’]s|are|one|to|:|=|ist|lautet|c['’]est"
    r"|est)[:\s]+[\"'`]?(?=\S*[\d!@$%^&*_-])\S{4,}|\b\d{4,}\b"
    r"|\b(?:password|passphrase|passwort|token|key|PIN|code)\b[^.]{0,30}(?:\bis\b|:|=)\s*\S+"
    r"|^[\"'`]?\S+[\"'`]?[.!]?$|^it['’]s \S+\b"
)
