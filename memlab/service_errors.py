"""What a model's service says when it refuses a request, whoever made the
service.

Anthropic sends ``{"error": {"type", "message"}}``. Other servers of the
Messages API send a text under ``error``, ``message`` or ``detail``, and a
proxy in front of them sends an HTML page. Left out: connections that fail,
for which the SDK has classes.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memlab.text import fold_space, shorten

MOST_CHARACTERS = 300
# how servers say that a request is longer than the model's context
_TOO_LONG = re.compile(
    r"too long"
    r"|context[ _](?:length|size|window|limit)"
    r"|maximum (?:model|input|context) length"
    r"|exceed\w*[ _](?:the )?(?:available |max\w* )?context"
    r"|too many (?:input )?tokens"
)
_TOO_LONG_KINDS = (
    "request_too_large",
    "exceed_context_size_error",
    "context_length_exceeded",
)
_OUT_OF_CREDIT = re.compile(r"(?i)\b(?:credits?|balance|quota|billing)\b")
_REFUSED = (400, 413, 422, 500, 200)  # 200: in the middle of a stream
_UNSEEN = re.compile(r"(?is)<(script|style|head)\b.*?</\1>|<!--.*?-->")


@dataclass(frozen=True)
class ServiceError:
    """One refusal: the HTTP status (0 if there is none), the service's name
    for it, and what it says, on one line.
    """

    status: int
    kind: str
    message: str

    @property
    def too_long(self) -> bool:
        """Whether the request was longer than the model takes."""
        if self.status == 413 or self.kind in _TOO_LONG_KINDS:
            return True
        if self.status not in _REFUSED:
            return False
        return bool(_TOO_LONG.search(self.message.lower()))

    def names(self, option: str) -> bool:
        """Tell whether the service refused the request because of one of its
        options.
        """
        return self.status in (400, 422) and option in self.message


def out_of_credit(status: int, message: str) -> bool:
    """Tell whether a service refuses a request because nobody has paid for it.

    Such a refusal says nothing about the request, although some services send
    it with the status of a wrong request.
    """
    if status == 402:
        return True
    return status == 400 and bool(_OUT_OF_CREDIT.search(message))


def read_error(error: Any) -> ServiceError:
    """Read an error that the SDK raised for an answer of the service."""
    status = getattr(error, "status_code", 0)
    sent = getattr(error, "body", None)
    if isinstance(sent, Mapping):
        sent = sent.get("error", sent)
    kind, message = "", str(error) if sent is None else sent
    if isinstance(sent, Mapping):
        kind = sent.get("type") or ""
        message = sent.get("message") or sent.get("detail") or sent
    if not isinstance(kind, str) or kind == "error":
        kind = ""
    if not isinstance(message, str):
        message = json.dumps(message, ensure_ascii=False)
    said = _one_line(message) or f"HTTP {status}, without a word"
    return ServiceError(status, kind, said)


def _one_line(text: str) -> str:
    """Return what a person would read of a text; of an HTML page, its title
    or its words.
    """
    if re.match(r"(?i)\s*<(!doctype|html|head|body|\?xml)\b", text):
        title = re.search(r"(?is)<title[^>]*>(.*?)</title>", text)
        words = title[1] if title else ""
        if not words.strip():
            words = re.sub(r"<[^>]*>", " ", _UNSEEN.sub(" ", text))
        text = html.unescape(words)
    printable = "".join(c if c.isprintable() else " " for c in text)
    return shorten(fold_space(printable), MOST_CHARACTERS)
