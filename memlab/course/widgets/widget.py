"""What every widget consists of: a static version, and an ``ipywidgets`` box
if that library is installed.

All widgets share one style sheet. It sets a text colour wherever it sets a
background, so that the contrast is the same in a light and in a dark theme.
Whatever a colour says is also said by a sign or a word.
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable, Collection
from functools import cached_property
from html import escape
from types import ModuleType
from typing import Any, Literal, Protocol

from memlab.course.show import Table, literal

VIEW = "application/vnd.jupyter.widget-view+json"
Tone = Literal["plain", "good", "bad", "note"]
_STYLE = """<style>
.memlab { font-size: 14px; line-height: 1.45; }
.memlab .widget-html, .memlab .widget-html-content {
  height: auto; min-width: 0; max-width: 100%; font-size: 14px;
  line-height: 1.45; white-space: normal; }
.memlab .widget-box, .memlab .widget-vbox > * {
  min-width: 0; max-width: 100%; }
.memlab .widget-hbox, .memlab .widget-vbox { overflow: visible; }
.memlab p { margin: 4px 0; }
.memlab ul { margin: 2px 0 6px; padding-left: 22px; }
.memlab h4 { margin: 10px 0 4px; font-size: 15px; }
.memlab button.jupyter-button { height: auto; min-height: 32px; width: auto;
  padding: 0 12px; font-size: 14px; white-space: normal; }
.memlab button.jupyter-button.mod-primary {
  background: #0B4F8A; color: #FFFFFF; font-weight: 600; }
.memlab button.jupyter-button:disabled { opacity: 1; font-style: italic;
  background: #E6E6E0; color: #595959; border: 1px dashed #595959; }
.memlab .widget-checkbox { width: auto; height: auto; }
.memlab .widget-checkbox .widget-label-basic { display: flex; gap: 6px;
  width: auto; height: auto; font-size: 14px; line-height: 1.45;
  white-space: normal; align-items: flex-start; }
.memlab .widget-checkbox input { flex: none; margin: 3px 0 0; }
.memlab button:focus-visible, .memlab summary:focus-visible,
.memlab input:focus-visible, .memlab select:focus-visible,
.memlab [tabindex]:focus-visible {
  outline: 3px solid var(--jp-ui-font-color0, #000) !important;
  outline-offset: 2px; }
.memlab summary:focus-visible, .memlab input:focus-visible {
  outline-offset: -3px; }
.memlab .change label { font-weight: 600; }
.memlab .chip { display: inline-block; border: 1px solid #595959;
  border-radius: 9px; padding: 0 8px; margin: 1px 4px 1px 0;
  background: #FFFFFF; color: #1A1A1A; font-size: 13px; }
.memlab .good { background: #D3EBD1; color: #1A1A1A; }
.memlab .bad { background: #F8D3CC; color: #1A1A1A; }
.memlab .note, .memlab mark { background: #FFE08A; color: #1A1A1A; }
.memlab mark { text-decoration: underline; font-weight: 600; }
.memlab pre { margin: 4px 0; padding: 8px; max-height: 340px; overflow: auto;
  border: 1px solid #8A8A82; border-radius: 4px; background: #FFFFFF;
  color: #1A1A1A; font-size: 13px; line-height: 1.4;
  white-space: pre-wrap; overflow-wrap: anywhere; word-break: normal; }
.memlab pre.diff span { display: block; }
.memlab .side { display: flex; flex-wrap: wrap; gap: 12px; }
.memlab .side > * { flex: 1 1 300px; min-width: 0; }
@media (max-width: 900px) {
  .memlab .side > * { flex-basis: 100%; }
  .memlab .widget-hbox { flex-wrap: wrap; }
  .memlab .widget-hbox > .widget-vbox { width: 100% !important; } }
</style>"""


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


def on_main_loop(act: Callable[..., object]) -> Callable[..., None]:
    """Return a callback for a part of a widget that runs ``act`` on the loop
    that is running now: the kernel's main loop.

    JupyterLab may run callbacks on a thread of its own. What is started there
    runs on another loop than the cells, and what is set there does not wake
    the main loop. Where no loop is running, ``act`` runs at once.
    """
    main = _running_loop()

    def callback(*values: Any) -> None:
        if main is None or main is _running_loop():
            act(*values)
        else:
            main.call_soon_threadsafe(act, *values)

    return callback


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def on_enter(line: Any, act: Callable[..., object]) -> None:
    """Run ``act`` on the main loop when Enter is pressed in a text field."""
    # its successor also fires when the field loses the cursor
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        line.on_submit(on_main_loop(act))


def make_button(
    widgets: ModuleType,
    label: str,
    act: Callable[[], object],
    **more: Any,
) -> Any:
    """Make a button that runs ``act`` on the main loop."""
    button = widgets.Button(description=label, **more)
    button.on_click(on_main_loop(lambda _: act()))
    return button


def chip(words: str, tone: Tone = "plain") -> str:
    """Show a few words as a label, in HTML."""
    return f'<span class="chip {tone}">{escape(words)}</span>'


def listed(title: str, lines: Collection[str]) -> str:
    """Show lines as a list with a title, in HTML; "" for none."""
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<p><b>{escape(title)}</b></p><ul>{items}</ul>" if items else ""


def scrollable(content: str, label: str, kind: str = "") -> str:
    """Put HTML into a block that the keyboard can reach and scroll."""
    return (
        f'<pre class="{kind}" tabindex="0" role="region"'
        f' aria-label="{escape(label)}">{content}</pre>'
    )


def coloured_diff(diff: str, label: str) -> str:
    """Show a diff in HTML: what comes is green and begins with +, what goes
    is red and begins with -.
    """
    tones = {"+": "good", "-": "bad", "@": "note"}
    lines = [
        f'<span class="{tones.get(line[:1], "")}">{escape(line) or " "}</span>'
        for line in diff.splitlines()[2:]  # without the names of the files
    ]
    return scrollable("".join(lines), label, "diff")


class Widget:
    """Shows a box to click on and, in the same output, a static version for
    web pages and plain text.

    ``build`` makes the box; each of its callbacks goes through
    ``on_main_loop``. A front end takes the richest form it knows. The static
    version does not change with clicks, so stored outputs stay comparable.
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
        shown = None if self.box is None else self._styled._repr_mimebundle_()
        return bundle | ({VIEW: shown[VIEW]} if shown else {})

    @cached_property
    def _styled(self) -> Any:
        """The box below the style sheet of all widgets."""
        import ipywidgets

        styled = ipywidgets.VBox([ipywidgets.HTML(_STYLE), self.box])
        styled.add_class("memlab")
        return styled

    def __repr__(self) -> str:
        return repr(self.static)
