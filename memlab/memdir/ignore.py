"""Whether the person asks for memory to be ignored, in English, German or
French.

A request is an imperative about *all* of the agent's memory. What only
contains the words (a computer's memory, one memory that is wrong, a quotation,
a question about the feature) is none.
"""

from __future__ import annotations

import re

from memlab.memdir.attribution import sentences, without_quotes
from memlab.text import fold_space


def asks_to_ignore_memory(text: str) -> bool:
    """Tell whether a message asks for memory to be left out of the
    conversation.

    A message that is nothing but the request is compared with a list of
    phrases. In a longer one, a sentence has to have the form of a request.
    """
    if _WHOLE.fullmatch(fold_space(text)):
        return True
    own = _COMMENT.sub("", without_quotes(text))
    return any(_is_request(one) for one in sentences(own))


def _is_request(sentence: str) -> bool:
    if _NOT_MEANT.search(sentence):
        return False
    return bool(_REQUEST.search(sentence))


_COMMENT = re.compile(
    r"(?m)\s(?:#|//|--)\s.*$|^.*[(){}=].*$|['‘\"][^'’\"\n]*['’\"]"
)
_WHOLE = re.compile(
    r"""(?xi)
    (?: (?:please|ok(?:ay)?|hey|now|from\ now\ on|for\ now|bitte
        |(?:can|could|would|will)\ you),?\s )*
    (?: (?:ignore|disregard|forget\ about|don['’]t\ use|do\ not\ use
          |stop\ using|work\ without|answer\ without|disable|pause
          |(?:turn|switch)\ off|no|without|treat|turn|switch)\s
        (?: (?:(?:all|any|every|the|your|my|of|saved|stored|existing)\s)*
            (?:memory|memories)
          | (?:everything|anything|all|what(?:ever)?)\s
            (?:(?:that\ )?(?:is\ |you\ have\ )?in\ (?:your\ |the\ )?memory
              |(?:that\ )?you\ (?:remember|know\ about\ me)) )
        (?:\s(?:as\ empty|off))?
      | memory\ off
      | ignor(?:ier|iere|ieren\ sie)\s(?:bitte\s)?
        (?:dein|das|ihr|alle|deine|ihre)\s(?:gedächtnis|erinnerungen)
      | (?:ignore[zr]?|oublie[zr]?|n['’]utilise[zr]?\ pas)\s
        (?:la|ta|votre|tes|vos)\s(?:mémoire|souvenirs) )
    (?: ,?\s(?:please|now|today|for\ now|from\ now\ on|bitte|heute
        |s['’]il\ (?:te|vous)\ pla[iî]t
        |(?:for|in|during)\s(?:the\ rest\ of\s)?
         (?:this|the)\s(?:session|conversation|chat|one)
        |in\ dieser\ sitzung|pour\ cette\ session) )*
    \s?[.!?]*"""
)
_END = (
    r"(?=\s*(?:[;:!?]|[.,](?=\s|$)(?!\s(?!please)\w+(?:\s\w+)?\s(?:and|or)\b)|$"
    r"|\band\s(?!\S+(?:\s(?:limits?|usage|load|time|errors?)\b|\s*[.,]))"
    r"|\b(?:for|in\s(?:this|the)|today|please|from\snow|until|about\sme"
    r"|this\stime|pour|cette|in\sdieser|bis|für|heute)\b))"
)
_MEMORY = (
    r"(?:(?:your|the|all\sof|all|any|my|every)\s+){0,3}(?:memory|memories)"
)
_REQUEST = re.compile(rf"""(?xi)
      (?: ^|[,:;]\s*|\b(?:and|please|you|but|then|now)\s+ )
      (?: (?:ignore|disregard|forget\ about|skip|bypass|don['’]t\ (?:use|read|look\ at|consult)
          |do\ not\ (?:use|read)|stop\ using|work\ without|answer\ without|go\ without
          |(?:switch|turn)\ off|pause|disable) \s+ {_MEMORY} {_END}
        | (?:switch|turn) \s+ {_MEMORY} \s+ off\b
        | (?:leave|keep) \s+ {_MEMORY} \s+ out\b
        | ignore\ (?:what|everything|anything|all)\ (?:that\ )?(?:you\ (?:have|know|remember)|is)
          \ [^.]*\b(?:memory|remember|about\ me)\b
        | (?:pretend|act|behave|answer) \b [^.]* \b(?:memory\ is\ empty|no\ memory|without\ memory
          |had\ no\ memories) )
    | ^(?:please\s+)?(?:no\ memory|without\ (?:your\ )?memory)\b
    | \bignor(?:ier|iere|ieren\ sie)\s+(?:bitte\s+)?(?:dein|ihr|das|alle)\w*\s+
      (?:gedächtnis|erinnerungen|gedächtnisses)\b
    | \b(?:benutz|nutz|verwend)\w*\s+(?:bitte\s+)?(?:dein|das|ihr)\w*\s+gedächtnis\s+nicht
    | \bohne\s+(?:dein|ihr)\w*\s+(?:gedächtnis|erinnerungen)\b
    | \b(?:ignore[zr]?|oublie[zr]?|n['’]utilise[zr]?\ pas|ne\ tiens\ pas\ compte\ de)\s+
      (?:ta|votre|tes|vos|de\ ta|de\ votre)\s+(?:mémoire|souvenirs)\b(?!\s+vive)
    | \bsans\s+(?:ta|votre)\s+mémoire\b""")
_NOT_MEANT = re.compile(
    r"""(?xi) \b(?:don['’]t|do\ not|never|stop)\ ignor | \b(?:(?<!as\ )if|what\ happens"
    r"|suppose)\b .* \bignor
      | \b(?:leak|card|errors?|stick|usage|chip|bandwidth|limit)\b .* \bignor
      | \bmemory\s+(?:errors?|leaks?|usage|card|on|of|for\ the|limits?|warnings?|foam)\b
      | \bmemory\s+about\b (?! \s+me (?:\s+and\b|\W*$) )
      | \b(?:says?|said|wrote|writes|called|starts\ with|sentence|phrase|word)\b [^.]* \bignor
      | ^(?:my|our|the|his|her|their)\s+\w+\s+(?:always|never|often|can|could|should|must)\b
      | \btell\ the\b"""
)
