"""What every widget consists of: a static version, and an ``ipywidgets`` box
if that library is installed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from types import ModuleType
from typing import Any, Protocol

from memlab.course.display import Table, literal

VIEW = "application/vnd.jupyter.widget-view+json"


class Static(Protocol):
    """What is shown without ``ipywidgets``, such as a ``Page`` or a ``Table``."""

    @property
    def markdown(self) -> str:
        """The static version as Markdown."""
        ...


class Summarised:
    """An object that is shown as a line that sums it up, and a table."""

    @property
    def summary(self) -> str:
        """The line that sums it up."""
        raise NotImplementedError

    @property
    def table(self) -> Table:
        """The table of its parts."""
        raise NotImplementedError

    @property
    def markdown(self) -> str:
        """The line and the table, as Markdown."""
        return f"{literal(self.summary)}\n\n{self.table.markdown}"

    def __repr__(self) -> str:
        return f"{self.summary}\n\n{self.table!r}"


def chooser(
    widgets: ModuleType,
    title: str,
    labels: Iterable[str],
    describe: Callable[[int], str],
) -> list[Any]:
    """Make a menu, and below it the description, in HTML, of the entry that is
    chosen.
    """
    menu = widgets.Dropdown(
        options=[(label, index) for index, label in enumerate(labels)],
        description=title,
        layout=widgets.Layout(width="95%"),
    )
    description = widgets.HTML(describe(0))

    def chosen(change: Any) -> None:
        description.value = describe(change["new"])

    menu.observe(chosen, names="value")
    return [menu, description]


class Widget:
    """Shows a box to click on and, in the same output, a static version for
    web pages and plain text.

    A front end takes the richest form it knows. The static version does
    not change with clicks, so stored outputs stay comparable.
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
