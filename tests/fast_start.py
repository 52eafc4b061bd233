"""A plugin for pytest (``-p tests.fast_start``): start without grammars that nobody here needs.

nbval imports nbformat, which imports jsonschema, which builds the grammars of international web
addresses if it finds the package ``rfc3987_syntax``: two seconds in the controller and in each
worker. No notebook has a field of that kind, and jsonschema does without the package.
"""

from __future__ import annotations

import sys

sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
