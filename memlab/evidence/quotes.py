"""What of a message the person typed themselves, and what they quoted or
pasted.

It is decided by form: marks of quotation, and a text that stands below a line
which says what to do with it. A text that was pasted without any mark looks
like the person's own.
"""

from __future__ import annotations

import re

from memlab.text import words

# A quotation of fewer words is a name or a term. What is longer than anyone
# types is a paste.
QUOTED_WORDS, TYPED_CHARACTERS = 4, 10_000

_FORMATS = re.compile(
    r"(?i)</?(?:b|br|code|em|i|kbd|mark|s|small|strong|sub|sup|u)\s*/?>"
)
_QUOTED = (
    r"(?ms)^ *(?:```|~~~).*?(?:^ *(?:```|~~~) *$|\Z)",
    r"(?m)^ *>.*$",
    r"(?s)<(?P<tag>[\w-]+)[^<>]*>.*?</(?P=tag)\s*>",
    r"(?m)^[ \t\d:.,TZ/+()\[\]-]*(?:<[\w@.-]+>|[\w@.-]+>|DEBUG|INFO|WARN\w*"
    r"|ERROR)\s.*$",
    r"(?i)(?<!\bI )\b(?:wrote|writes|said|says|schrieb|schreibt|écrit):[ \t].*",
    # a letter, and a text below "What does this mail mean?"
    r"(?i)(?<=\n)(?:hi|hello|hey|dear|hallo|liebe[rs]?)\b[^\n,]{0,40},[\s\S]*",
)
_PASTED_BELOW = re.compile(
    r"(?im)^([^\n]*\b(?:e-?mail|message|letter|ticket|comment|thread|post|text"
    r"|following|below)\b[^\n]*[:?])[ \t]*\n(?!\s*…)[\s\S]*"
)
_QUOTATION = re.compile(
    r"\"(?:[^\"\n]|\n(?!\n))+\"|“[^”]+”|„[^“”]+[“”]|«[^»]+»|»[^«]+«"
    r"|(?<!\w)['‘][^'’\n]+['’](?!\w)"
)


def without_quotes(text: str) -> str:
    """Leave out what is quoted or pasted; a short quotation stays."""
    text = without_formats(text[:TYPED_CHARACTERS])
    for pattern in _QUOTED:
        text = re.sub(pattern, "\n…\n", text)
    # what a line points to is a marked quotation, or all that is below it
    text = _PASTED_BELOW.sub(r"\1", text).replace("\n…\n", "\n")
    return _QUOTATION.sub(_if_short, text)


def without_formats(text: str) -> str:
    """Leave out the tags that only format words: what is bold is not quoted."""
    return _FORMATS.sub("", text)


def _if_short(found: re.Match[str]) -> str:
    return found[0] if len(words(found[0])) < QUOTED_WORDS else " … "
