"""What may not be written down: the key in use, and every other secret.

Whatever is kept of a call to a model (a tape, the bench's log, a report, an
error) goes through a ``Redactor`` first. It removes the values that this
process works with, wherever they appear, and what ``memdir.secrets`` finds.
Left out: a value that was changed before it came back, for example encrypted
or cut in the middle, and short keys: such a key is a word like ``test``, which
a server on this machine accepts and which texts have for other reasons.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from memlab.memdir.secrets import REMOVED, find_secrets, remove_secrets

SHORTEST = 12
"""Characters from which a known value is removed from what is kept."""
_PAIRED = 200  # characters up to which a value is looked at with its name
_BETWEEN = re.compile(r"[\s/:@?=&]+")


class Redactor:
    """Replaces secrets in texts and in JSON by ``[removed]``: those that are
    found, and the parts of the ``ANTHROPIC_…`` variables, but for names of
    models, and of the ``address`` in use.
    """

    def __init__(self, address: str = "") -> None:
        values = [address]
        for name, value in os.environ.items():
            if name.startswith("ANTHROPIC_") and not name.endswith("MODEL"):
                values.append(value)
        words = [word for value in values for word in _BETWEEN.split(value)]
        known = {word for word in words if len(word) >= SHORTEST}
        known |= {urlsplit(value).password or REMOVED for value in values}
        self._values = sorted(known, key=len, reverse=True)

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
                self.text(name): REMOVED
                if _is_named_secret(name, held)
                else self.json(held)
                for name, held in value.items()
            }
        return [*map(self.json, value)] if isinstance(value, list) else value


@lru_cache(maxsize=512)
def _without_found(text: str) -> str:
    """Look for secrets once per text; the same prompts come again and again."""
    return remove_secrets(text)


def _is_named_secret(name: str, value: Any) -> bool:
    if not isinstance(value, str) or len(value) > _PAIRED:
        return False
    found = find_secrets(f"{name}: {value}")
    return any(secret.offset < len(name) for secret in found)
