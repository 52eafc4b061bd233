"""What may not be written down: the key in use, and every other secret.

Whatever is kept of a call to a model (a tape, the bench's log, a report, an
error) goes through a ``Redactor`` first. It removes the values that this
process works with, wherever they appear, and what ``memdir.secrets`` finds.
Left out: a value that was changed before it came back, for example encrypted
or cut in the middle, and keys shorter than ``SHORTEST_KEY``. Such a key is a
word like ``test``, which a server on this machine accepts and which texts
have for other reasons.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from memlab.memdir.secrets import REMOVED, find_secrets, remove_secrets

if TYPE_CHECKING:
    import httpx2

SHORTEST = 8
"""Characters from which a known value is removed from what is kept."""
SHORTEST_KEY = 12
"""The same, for a key and for values from the environment."""
_PLACEHOLDERS = ("local", "offline", "replay")
"""What the SDK gets for a key where there is none."""

_PLAIN_HEADERS = (
    "accept",
    "accept-encoding",
    "anthropic-beta",
    "anthropic-version",
    "connection",
    "content-length",
    "content-type",
    "host",
    "transfer-encoding",
    "user-agent",
)
_PLAIN_PREFIXES = ("x-stainless-", "x-memlab-")
_KEY_HEADERS = ("authorization", "proxy-authorization", "x-api-key", "cookie")
_SECRET_SEGMENT = 16  # characters from which a part of a path may be a key
_PAIRED = 200  # characters up to which a value is looked at with its name


class Redactor:
    """Replaces secrets in texts and in JSON by ``[removed]``; ``values`` are
    those that are known.
    """

    def __init__(self, values: Iterable[str] = ()) -> None:
        known = {
            value.strip()
            for value in values
            if len(value.strip()) >= SHORTEST
            and value.strip() not in _PLACEHOLDERS
        }
        spelled = known | {quote(value, safe="") for value in known}
        self._values = tuple(sorted(spelled, key=len, reverse=True))

    @classmethod
    def in_use(
        cls,
        environ: Mapping[str, str] | None = None,
        request: httpx2.Request | None = None,
    ) -> Redactor:
        """Return one that knows the ``ANTHROPIC_…`` variables, and the keys,
        custom headers and address of a request.
        """
        values = list(_from_environment(environ))
        if request is not None:
            values += _from_request(request)
        return cls(values)

    def text(self, text: str) -> str:
        """Return a text without secrets."""
        for value in self._values:
            text = text.replace(value, REMOVED)
        return _without_found(text)

    def json(self, value: Any) -> Any:
        """Return a JSON value without secrets in its texts and names.

        A value whose name says that it is a secret is removed too, as in
        ``{"password": "…"}``.
        """
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {
                self.text(str(name)): REMOVED
                if _is_named_secret(str(name), held)
                else self.json(held)
                for name, held in value.items()
            }
        if isinstance(value, (list, tuple)):
            return [self.json(held) for held in value]
        return value


@lru_cache(maxsize=512)
def _without_found(text: str) -> str:
    """Look for secrets once per text; the same prompts come again and again."""
    return remove_secrets(text)


def _is_named_secret(name: str, value: Any) -> bool:
    if not isinstance(value, str) or len(value) > _PAIRED:
        return False
    found = find_secrets(f"{name}: {value}")
    return any(secret.offset < len(name) for secret in found)


def _from_environment(environ: Mapping[str, str] | None) -> Iterable[str]:
    """Give the values of the SDK's variables, except for names of models."""
    for name, value in (os.environ if environ is None else environ).items():
        if not name.startswith("ANTHROPIC_") or name.endswith("MODEL"):
            continue
        if name == "ANTHROPIC_LOG":
            continue
        words = [value]
        if name == "ANTHROPIC_CUSTOM_HEADERS":
            words += [line.partition(":")[2] for line in value.splitlines()]
        yield from (
            word for word in words if len(word.strip()) >= SHORTEST_KEY
        )


def _from_request(request: httpx2.Request) -> list[str]:
    values: list[str] = []
    for name, value in request.headers.items():
        plain = name.lower()
        if plain in _PLAIN_HEADERS or plain.startswith(_PLAIN_PREFIXES):
            continue
        words = [value, value.rpartition(" ")[2]]
        if plain in _KEY_HEADERS:
            words = [word for word in words if len(word) >= SHORTEST_KEY]
        values += words
    url = request.url
    values += [url.username, url.password]
    values += [value for _, value in url.params.multi_items()]
    values += [
        segment
        for segment in url.path.split("/")
        if len(segment) >= _SECRET_SEGMENT
    ]
    return values


def without_address(text: str, request: httpx2.Request) -> str:
    """Return what a service said, without the address it was asked at."""
    url = request.url
    for spelled in (str(url), str(url.copy_with(path="/", query=None))):
        text = text.replace(spelled.rstrip("/"), REMOVED)
    place = url.netloc.decode("ascii", "replace")
    return text.replace(place, REMOVED) if place else text
