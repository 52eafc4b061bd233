"""What every widget consists of: a static version, and an ``ipywidgets`` box
if that library is installed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from types import ModuleType
from typing import Any, Protocol

VIEW = "application/vnd.jupyter.widget-view+json"


class Static(Protocol):
    """What is shown without ``ipywidgets``, such as a ``Page`` or a ``Table``."""

    @property
    def markdown(self) -> str:
        """The static version as Markdown."""
        ...


class Widget:
    """Shows a box to click on and, in the same output, a static version for web
    pages and plain text.

    A front end takes the richest form it knows. The static version does not change with
    clicks, so stored outputs stay comparable.
    """

    def __init__(
        self, static: Static, build: Callable[[ModuleType], Any]
    ) -> None:
        self.static = static
        self._build = build

    @cached_property
    def box(self) -> Any:
        """The box, made when it is first asked for; None without
        ``ipywidgets``.
        """
        try:
            import ipywidgets
        except ImportError:
            return None
        return self._build(ipywidgets)

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> dict[str, Any]:
        bundle = {
            "text/plain": repr(self),
            "text/markdown": self.static.markdown,
        }
        shown = None if self.box is None else self.box._repr_mimebundle_()
        return bundle | ({VIEW: shown[VIEW]} if shown else {})

    def __repr__(self) -> str:
        return repr(self.static)
