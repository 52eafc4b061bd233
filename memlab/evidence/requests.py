"""Two requests that code obeys, whatever a model makes of them: "ignore
memory" and "don't save this".

A request is an imperative about *all* of the agent's memory, or about what the
person says in this message. What only contains the words (a computer's memory,
one memory that is wrong, a file that is not to be saved, a quotation, a
question) is none.
"""

from __future__ import annotations

import re

from memlab.evidence.quotes import without_quotes
from memlab.evidence.sentences import split_lines

_MEMORY = (
    r"(?:(?:everything|anything)\s+in\s+)?"
    r"(?:(?:all|any|every|of|the|your|my|saved|stored)\s+){0,3}"
    r"(?:memory|memories)"
)
_BEGIN = (
    r"(?:^|[,:;]\s*|\b(?:and|but|hey|now|okay|please|so|then|you|bitte)\s+)"
)
# what comes after the object has to leave it the whole memory
_END = (
    r"(?=\W*$|\s*[;:!?]|[.,](?=\s)|\s+(?:and\b(?!\s\S+\s(?:limits?|usage"
    r"|load|time|errors?)\b)|(?:as|bis|for|from\snow|für"
    r"|heute|in\s(?:this|the|dieser)|please|pour|this\stime|today|until|off"
    r"|out)\b|about\sme\W*$))"
)
_IGNORE = re.compile(
    rf"""(?xi) {_BEGIN} (?:
      (?: ignore|disregard|forget\ about|skip|bypass|pause|disable
        |(?:do\ not|don['’]t|stop)\ (?:use|using|read|consult|look\ at)
        |(?:work|answer|go|act)\ without|(?:switch|turn)\ off|no|without
        |(?:switch|turn|treat|leave|keep)(?=[^.]*\ (?:off|empty|out)\b)
      ) \s+ {_MEMORY} {_END}
    | ignore\ (?:what|everything|anything|all)\b[^.]*
      \b(?:memory|remember|about\ me)\b
    | (?:pretend|act|behave|answer)\b[^.]*
      \b(?:memory\ is\ empty|no\ memor\w+|without\ memory)
    | memory\ off\W*$
    | ignor\w+\s(?:bitte\s)?(?:dein|das|ihr|alle)e?\s
      (?:gedächtnis|erinnerungen)\b
    | ohne\s(?:dein|ihr)e?\s(?:gedächtnis|erinnerungen)\b
    | (?:ignore[zr]?|oublie[zr]?|sans|n['’]utilise[zr]?\ pas)\s
      (?:t[ae]s?|votre|vos|la)\s(?:mémoire|souvenirs)\b(?!\svive)
    )"""
)
_CODE = re.compile(
    r"(?m)\s(?:#|//|--)\s.*$|^.*[(){}=].*$|['‘\"][^'’\"\n]*['’\"]"
)
_ONLY_ABOUT_IT = re.compile(
    r"(?i)\b(?:(?<!as )if|suppose|what happens|tell the|says?|said|wrote|writes"
    r"|called|starts with|sentence|phrase|word)\b[^.]*\bignor"
    r"|\bmemory (?:errors?|leaks?|usage|card|limits?|warnings?)\b"
    r"|^(?:my|our|the|his|her|their)\s+\w+\s+(?:always|never|often|can|could)\b"
)
_DONT_SAVE = re.compile(
    rf"""(?xi)
      {_BEGIN} (?: do\ not|don['’]?t|never|no\ need\ to|without
        |you\ (?:don['’]?t\ (?:need|have)\ to|(?:should|must|need)(?:\ not|n['’]t)) )
      \s (?: sav|stor|keep|record|memori[sz]|not(?=e|ing)|remember|write\ down )
      (?:e|ing)? (?:
        \s (?: (?:any(?:thing)?|all)\ of\ )? (?:this|that|it|these|anything)
        (?: \s(?:message|part|conversation|session) )?
        (?: (?=\W*$|[,.;:!?—–]) | \s(?:anywhere|please|for\ later|about\ me|down
          |(?:in|to|into)\ (?:your\ |the\ )?memory) )
      | (?=\W*$)
      | \s (?:that|where|who|what|how)\ (?:i|we|my|our)\b
      | \s (?:my|our)\b (?![^.]*\b(?:in|into|on|to|at|before|when|without)\b) )
    | \boff\ the\ record\b | \bbetween\ (?:us|you\ and\ me)\b
    | \b(?:keep|leave)\ (?:this|that|it)\ out\ of\ (?:your\ |the\ )?memory\b
    | \b(?:this|that|it)\ (?:should|must|may|is)\ ?(?:not|never|n['’]t)\ (?:to\ )?
      (?:be\ )?(?:saved|stored|remembered|go\ in(?:to)?\ (?:your\ )?memory)\b
    | \b(?:speicher\w*|merk\w*)\ (?:dir\ )?(?:das|dies|es)\w*\ (?:bitte\ )?nicht\b
    | \bne\ (?:retiens|retenez|gardez?|sauvegardez?|enregistrez?|notez?)\ pas\b"""
)
_SAVE = re.compile(
    rf"(?i){_BEGIN}(?:remember|save|note|store|merk\w*|retiens|keep in mind"
    r"|make a note)\b"
)


def asks_to_ignore_memory(text: str) -> bool:
    """Tell whether a message asks for memory to be left out of the
    conversation.
    """
    own = _CODE.sub("", without_quotes(text))
    return any(
        _IGNORE.search(one.text) and not _ONLY_ABOUT_IT.search(one.text)
        for one in split_lines(own)
    )


def open_part(text: str) -> str:
    """Give the part of a message that is not off the record.

    That is all of it without a request not to save, and with one what the
    person explicitly asks to save beside it: "Remember X. Don't save Y."
    """
    own = [one.text for one in split_lines(without_quotes(text))]
    if not any(map(_DONT_SAVE.search, own)):
        return text
    return "\n".join(
        said
        for said in own
        if _SAVE.search(said) and not _DONT_SAVE.search(said)
    )


def without_request(text: str) -> str:
    """Give a text without "Remember:" and the like at its beginning."""
    return _REMEMBER.sub("", text.strip())


_REMEMBER = re.compile(
    r"(?i)^(?:(?:please\s+)?(?:remember|note|fyi|merke?\s+dir|notiere?"
    r"|souviens-toi|retiens)\b\s*(?:that|dass|que)?\s*[:,]?\s*"
    r"|just\s+so\s+you\s+know\b[:,]?\s*)"
)
