"""How Sphinx makes the site; build.py beside this file runs it."""

from __future__ import annotations

import os
from pathlib import Path
from xml.etree import ElementTree

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

project = html_title = "memlab"
extensions = ["myst_nb"]

nb_execution_mode = "off"
nb_render_markdown_format = "gfm"
# The stored outputs contain no widgets; the default would load a library from another server.
nb_ipywidgets_js = {}
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 6
# A notebook's opening has a title and then small headings; the contents beside the page show both.
suppress_warnings = ["myst.header"]

# Straight quotation marks and two hyphens may belong to code in a table.
smartquotes = False

html_theme = "furo"
html_static_path = html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_show_copyright = html_copy_source = html_use_index = False
html_theme_options: dict[str, object] = {"top_of_page_buttons": []}
pygments_style = "a11y-light"
pygments_dark_style = "a11y-dark"

if name := os.environ.get("GITHUB_REPOSITORY"):
    address = f"https://github.com/{name}"
    icon = {
        "name": "Repository",
        "url": address,
        "html": "Repository",
        "class": "",
    }
    html_theme_options["footer_icons"] = [icon]


def describe_pictures(app: Sphinx, doctree: nodes.document) -> None:
    """Give a picture that a cell has drawn the description that it contains."""
    for node in doctree.findall(nodes.image):
        file = Path(app.env.relfn2path(node["uri"], app.env.docname)[1])
        if "alt" not in node and file.suffix == ".svg" and file.is_file():
            node["alt"] = (
                ElementTree.parse(file).getroot().get("aria-label", "")
            )


def visit_formula(
    translator: HTML5Translator, node: nodes.math | nodes.math_block
) -> None:
    """Write a formula as MathML, which browsers show without a script."""
    block = isinstance(node, nodes.math_block)
    translator.body.append(tex2mathml(node.astext(), as_block=block))
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the above; pictures are described before Sphinx copies them elsewhere."""
    app.connect("doctree-read", describe_pictures, priority=100)
    app.add_html_math_renderer("mathml", *[(visit_formula, None)] * 2)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
