"""What a learner can click on: dials for the gates, the review of a dream, a
chat. Each is shown with the same in words, for pages without a kernel.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

VIEW = "application/vnd.jupyter.widget-view+json"
STYLE = """<style>
.memlab, .memlab .widget-html-content { font-size: 14px; line-height: 1.5; }
.memlab .widget-html-content { height: auto; white-space: normal; }
.memlab button.jupyter-button, .memlab .widget-checkbox,
.memlab .widget-checkbox label { width: auto; height: auto; max-width: 100%;
  white-space: normal; overflow: visible; }
.memlab .widget-hbox { flex-wrap: wrap; }
.memlab .good { background: #D3EBD1; color: #1A1A1A; }
.memlab .bad { background: #F8D3CC; color: #1A1A1A; }
.memlab pre { max-height: 340px; overflow: auto; white-space: pre-wrap;
  background: #FFFFFF; color: #1A1A1A; padding: 8px; font-size: 13px; }
</style>"""


class Widget:
    """Shows a box to click on and, in the same output, words.

    The words don't change with clicks, so that stored outputs stay comparable;
    a front end takes the richest form that it knows.
    """

    def __init__(self, words: Any, parts: Callable[[], list[Any]]) -> None:
        self.words, self._parts = words, parts
        self._box: Any = None

    @property
    def box(self) -> Any:
        """The box, made when it is first asked for."""
        import ipywidgets

        if self._box is None:
            style = ipywidgets.HTML(STYLE)
            self._box = ipywidgets.VBox([style, *self._parts()])
            self._box.add_class("memlab")
        return self._box

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        shown = self.box._repr_mimebundle_()
        words = {"text/plain": repr(self)}
        if hasattr(self.words, "markdown"):
            words["text/markdown"] = self.words.markdown
        return words | {VIEW: shown[VIEW]}

    def __repr__(self) -> str:
        return str(self.words)


def on_main_loop(act: Callable[..., object]) -> Callable[..., None]:
    """Return a callback that runs ``act`` on the loop that is running now.

    JupyterLab may run callbacks on a thread of its own, whose loop is not the
    one that cells run on.
    """
    try:
        main = asyncio.get_running_loop()
    except RuntimeError:
        main = None

    def callback(*values: Any) -> None:
        if main is None:
            act(*values)
        else:
            main.call_soon_threadsafe(act, *values)

    return callback


def button(words: str, act: Callable[[], object]) -> Any:
    """Make a button that runs ``act``."""
    import ipywidgets

    made = ipywidgets.Button(description=words)
    made.on_click(on_main_loop(lambda _: act()))
    return made
