"""Secrets in a text: keys by their published prefixes, passwords by what is
said about them.

The words for a secret are known in English, German, French and Spanish. A word
alone is no secret: a value has to follow it. Every pattern takes time in
proportion to the text, whatever the text is, because a look at one place never
goes further than a fixed number of characters.

Code cannot recognise a secret that nothing near it calls one, a password that
is a plain word without quotes, and whether a value is still valid.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Secret:
    """What kind of secret it is and where it begins; the value itself is never
    kept.

    The fingerprint is the same wherever the same value is found.
    """

    kind: str
    offset: int
    fingerprint: str = field(default="", compare=False, repr=False)


def find_secrets(text: str) -> tuple[Secret, ...]:
    """Find secrets in the order of the text, at most one per place;
    placeholders do not count.

    Characters that a reader cannot see and spaces between single letters are
    ignored.
    """
    found: dict[int, Secret] = {}
    for reading, offsets in _readings(text):
        for kind, start, value in _find(reading):
            offset = start if offsets is None else offsets[start]
            secret = Secret(kind, offset, _fingerprint(value))
            found.setdefault(offset, secret)
    return tuple(found[offset] for offset in sorted(found))


REMOVED = "[removed]"
# the rest of a word, without a full stop at its end
_REST = re.compile(r"(?:[^\s\"'`,;)\]}>]*[^\s\"'`,;)\]}>.])?")


def remove_secrets(text: str) -> str:
    """Replace the value of every secret by ``[removed]``.

    What is put there counts as a placeholder, so doing it again changes
    nothing.
    """
    for _ in range(_MOST_PASSES):
        spans = list(_spans(text))
        if not spans:
            break
        kept: list[str] = []
        end = 0
        for begin, after in sorted(spans):
            if after <= end:
                continue
            if begin >= end:
                kept += [text[end:begin], REMOVED]
            end = after
        text = "".join([*kept, text[end:]])
    return text


_MOST_PASSES = 4  # a value may turn out to be one when another is gone


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Give the places from where to where each secret's value goes."""
    for reading, offsets in _readings(text):
        for kind, start, value in _find(reading):
            begin = max(start, reading.find(value, start))
            if kind == "private key":
                begin = start
                last = reading.find("-----END", start)
                end = reading.find("\n", last) if last >= 0 else -1
                if end < 0:
                    end = len(reading)
            else:
                rest = _REST.match(reading, begin + len(value))
                end = rest.end() if rest else begin + len(value)
            if offsets is None:
                yield begin, end
            else:
                yield offsets[begin], offsets[end - 1] + 1


def _readings(text: str) -> Iterator[tuple[str, list[int] | None]]:
    """Give the text as a reader sees it, then with spaced letters joined, each
    with its offsets.

    The offsets lead from a place in the reading to the place in the text; None
    means the same.
    """
    offsets: list[int] | None = None
    seen = text.translate(_ONE_FOR_ONE)
    if _INVISIBLE.search(seen):
        offsets = [
            place
            for place, letter in enumerate(seen)
            if not _INVISIBLE.match(letter)
        ]
        seen = _INVISIBLE.sub("", seen)
    yield seen, offsets

    joined: list[str] = []
    places: list[int] = []
    end = 0
    for spaced in _SPACED.finditer(seen):
        joined.append(seen[end : spaced.start()] + spaced[0][::2])
        places += range(end, spaced.start())
        places += range(spaced.start(), spaced.end(), 2)
        end = spaced.end()
    if joined:
        joined.append(seen[end:])
        places += range(end, len(seen))
        yield (
            "".join(joined),
            [place if offsets is None else offsets[place] for place in places],
        )


def _find(text: str) -> Iterator[tuple[str, int, str]]:
    """Give the kind, the place and the value of each secret in one reading of
    a text.
    """
    for kind, sign, pattern in _BY_FORM:
        if sign in text:
            for match in pattern.finditer(text):
                if _is_value(match):
                    yield kind, match.start(), _value(match)
    end = 0
    # as long as the text: see _ONE_FOR_ONE
    for word in _WORD.finditer(text.lower()):
        if word.start() < end:  # it is part of a value
            continue
        for kind, words, pattern in _BY_WORD:
            after = (
                pattern.match(text, word.end())
                if word.lastgroup in words
                else None
            )
            if after and _is_value(after):
                yield kind, word.start(), _value(after)
                end = after.end()
                break


def _is_value(match: re.Match[str]) -> bool:
    value = match.groupdict().get("value") or match[0]
    return not _PLACEHOLDER.search(value[:MOST])


def _value(match: re.Match[str]) -> str:
    """Give what makes a secret different from others: of a private key, what
    follows its first line.
    """
    if match[0].startswith("-----BEGIN "):
        return match.string[match.end() : match.end() + MOST].lstrip("-")
    return match.groupdict().get("value") or match[0]


def _fingerprint(value: str) -> str:
    """Give a hash by which equal values are recognised, however they are
    quoted.
    """
    bare = re.sub(r"\s", "", value).strip("\"'`“”„«».,;:!?)(*")
    return hashlib.sha256(bare[:FIRST].encode()).hexdigest()


MOST = 64  # characters of a value that are looked at
FIRST = 32  # characters by which two values are compared
_ONE_FOR_ONE = {0xFF01 + place: 0x21 + place for place in range(94)} | {
    0xA0: " ",
    0x3000: " ",
}
# no small letter of theirs is as long
_ONE_FOR_ONE |= {0x130: "I", 0x17F: "s", 0x212A: "K"}
_INVISIBLE = re.compile(
    "[\xad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]"
)
_SPACED = re.compile(r"(?<!\w)\w(?: \w){3,}(?!\w)")

_PLACEHOLDER = re.compile(
    r"""(?xi) ^[$<%{\[*] | \$\{ | \.\.\. | … | xxx | :// | your | example | placeholder | changeme
    | redacted | dummy | fake | ^[a-z_]*(?:password|passwd|token|secret|key)[a-z_]*\W*$
    | ^(?:none|null|nil|true|false|undefined|required|optional|str|string|hidden|empty)\W*$
    | ^[a-z_][\w.]*[\[(] | ^\d+-[a-z]+\W*$ | ^v?\d+\.\d
    | ^(?:sha|aes|md5|argon2|[hre]s256|oauth|base64|utf|1password|ed25519|x509|rfc)[\w-]*\W*$"""
)
_PREFIXES = r"""(?x)(?<![\w-])(?:
    (?:AKIA|ASIA)[A-Z2-7]{16}\b | AIza[\w-]{35} | ya29\.[\w-]{20,} | GOCSPX-[\w-]{28}
    | gh[pousr]_[A-Za-z0-9]{36} | github_pat_\w{40,} | gl(?:pat|ptt|rt|dt)-[\w-]{20,}
    | sk-(?:ant|proj|svcacct|admin|or)-[\w-]{20,} | sk-[A-Za-z0-9]{32,} | hf_[A-Za-z0-9]{30,}
    | xox[abeoprs]-[\w-]{10,} | [rs]k_(?:live|test)_[A-Za-z0-9]{16,} | whsec_[A-Za-z0-9]{24,}
    | npm_[A-Za-z0-9]{36} | pypi-AgE[\w-]{16,} | SG\.[\w-]{16,}\.[\w-]{16,} | hv[sb]\.[\w-]{20,}
    | shp(?:at|ca|pa|ss)_[0-9a-f]{32} | do[opr]_v1_[0-9a-f]{64} | dapi[0-9a-f]{32}
    | glsa_\w{32,} | tskey-[\w-]{20,} | AGE-SECRET-KEY-1[0-9A-Z]{50,} | \d{8,10}:AA[\w-]{33} )"""
_HOOKS = r"(?:hooks\.slack\.com/services|discord(?:app)?\.com/api/webhooks)/\w+/[\w/-]{8,}"
_IN_URL = r"://(?P<user>[^\s/:@]*):(?!(?P=user)@(?:localhost|127\.))(?P<value>[^\s/@]+)@"
_CURL = r"\bcurl\b(?:(?!\bcurl\b)[^\n]){0,200}?(?:-u|--user)[ =]"
_CURL += r"[\"']?[^\s:\"'`]{1,64}:(?P<value>[^\s\"'`]{4,64})"

# The words that make a value a secret. A PIN has digits, and a code may have
# them; only what is always a password is one without a verb: the password
# "seagull". The pattern reads small letters, and looks at one letter first,
# because it is tried at every place of a text.
_WORD = re.compile(
    r"""(?x) (?=[acdegjklmpstz]) (?:
    (?P<pin> \bpin\b ) | (?P<code> pass-?code | geheim(?:zahl|nummer|code) | zugangs-?code
      | zahlencode | (?:door|gate|alarm|entry|access|safe)\ code | (?:tür|tor|alarm|tresor|safe)code
      | code\ (?:secret|pin|d['’]acc(?:è|è|e)s|de\ la\ porte)
      | c(?:ó|ó|o)digo\ (?:secreto|pin|de\ (?:acceso|la\ puerta)) )
  | (?P<password> passw(?:ord|ort|d)s? | passphrase\b | kennw(?:ort|örter) | \blosung(?:swort)?\b
      | mots?\ de\ passe | \bmdp\b | contrase(?:ñ|ñ|n)as? )
  | (?P<key> pwd | secrets? | tokens? | credentials?
      | (?:api|access|secret|private|signing|license)[ _-]?keys?
      | (?:api|zugriffs|zugangs|geheim|privater?|geheimer)[ _-]?schl(?:ü|ü|ue)ssel | zugangsdaten
      | \bjetons?\b | cl(?:é|é|e)s?\ (?:d['’])?(?:api|acc(?:è|è|e)s|secr(?:è|è|e)te|priv(?:é|é|e)e)
      | \bclave(?:\ (?:de\ )?(?:la\ )?(?:api|acceso|secreta|privada))?\b ) )"""
)
_ABOUT = r"""(?: \s (?: for|of|at|to|on|in|from | für|der|des|die|zum|zur|vom|am|im|beim
    | de|du|d['’]\w{1,20}|pour|à|au | del|para|en ) \s [^.\n]{1,40}? )?"""
_VERB = r"""(?: is|was|are | ist|war|lautet|lautete|heißt|heisst | est|était | es|era
    | wurde\ auf|ist\ jetzt|lautet\ jetzt )"""
_IS = (
    rf"(?xi)[\"'`*]{{0,4}} {_ABOUT} (?: \s?:\*{{0,4}}\s{{0,4}} | \s {_VERB} \s"
    r" (?:(?:now|set\ to|changed\ to|nun|jetzt|maintenant|ahora)\s)? )"
)
_OPEN, _CLOSE = "\"'`“„»«‹‚", "\"'`”“«»›‘"
_QUOTED = (
    rf"[{_OPEN}]\s?(?P<value>(?=[^\s{_OPEN}{_CLOSE}]{{0,{MOST}}}[^\W\d_])"
    rf"[^\s{_OPEN}{_CLOSE}]{{4,{MOST}}})\s?[{_CLOSE}]"
)
_MIXED = (
    rf"(?P<value>(?=\S{{0,{MOST}}}\d)(?=\S{{0,{MOST}}}[A-Za-z])\S{{6,{MOST}}}"
    r"|[a-z]{1,30}(?:-[a-z]{1,30}){3,12}"
    rf"|(?=\S{{0,{MOST}}}[!@\#$%^&])\w\S{{6,{MOST}}})"
)
_ASSIGNED = (
    r"(?xi)[\"'`]?\s{0,4}(?::?=|=>)\s{0,4}[\"'`]?"
    rf"(?P<value>(?=[^\s\"'`]{{0,{MOST}}}[A-Za-z])[^\s\"'`,;)]{{4,{MOST}}})"
)
_DIGITS = r"[\"'`]?(?P<value>\d{4,8})\b(?![.-]?\d)"
_CHANGED = (
    r"(?xi)\b(?:changed?|set|reset)\s[^.\n]{1,40}?\b(?:password|passphrase|passcode|token|secret)"
    r"\sto\s"
)
_BESIDE = (
    rf"(?<!\S)(?P<value>(?=\S{{0,{MOST}}}\d)(?=\S{{0,{MOST}}}[A-Za-z])\S{{6,{MOST}}})"
    r"\s\((?i:the\s)?(?i:password|passwort|kennwort|mot\sde\spasse|contraseña|token)\)"
)
_BY_FORM = tuple(
    (kind, sign, re.compile(pattern))
    for kind, sign, pattern in (
        (
            "private key",
            "-----BEGIN ",
            r"-----BEGIN (?:[A-Z]{1,20} ){0,4}PRIVATE KEY",
        ),
        ("key or token with a known prefix", "", _PREFIXES),
        ("address that lets its bearer post", "/", _HOOKS),
        (
            "signed token",
            "eyJ",
            r"(?<![\w-])eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}",
        ),
        (
            "bearer token",
            "earer ",
            r"\b[Bb]earer (?P<value>(?=\S*\d)[\w.~+/-]{16,})",
        ),
        ("password in an address", "://", _IN_URL),
        ("password on a command line", "curl", _CURL),
        ("password or token", " to ", _CHANGED + _MIXED),
        ("password or token", ")", _BESIDE),
    )
)
_BY_WORD = tuple(
    (kind, words, re.compile(pattern))
    for kind, words, pattern in (
        ("assigned password or token", ("password", "key", "code"), _ASSIGNED),
        ("password or token", ("password", "key", "code"), _IS + _QUOTED),
        ("password or token", ("password", "key", "code"), _IS + _MIXED),
        ("password", ("password", "code"), r"\s" + _QUOTED),
        ("PIN", ("pin", "code"), _IS + _DIGITS),
    )
)
