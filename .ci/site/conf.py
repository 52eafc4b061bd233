"""How Sphinx makes the site; build.py beside this file runs it."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from posixpath import normpath
from urllib.parse import quote
from xml.etree import ElementTree

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.addnodes import download_reference, pending_xref
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

from memlab import __version__

ROOT = Path(__file__).resolve().parents[2]

project = "memlab"
author = "memlab contributors"
version = release = __version__
root_doc = "index"
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
html_title = "memlab"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_show_copyright = False
html_copy_source = False
html_show_sourcelink = False
html_use_index = False
html_domain_indices = False
_parts = ("brand", "search", "scroll-start", "navigation", "scroll-end")
html_sidebars = {"**": [f"sidebar/{part}.html" for part in _parts]}
pygments_style = "a11y-light"
pygments_dark_style = "a11y-dark"


# The repository's address, from what GitHub sets in a workflow; "" if there is none.
_name = os.environ.get("GITHUB_REPOSITORY", "")
_server = os.environ.get("GITHUB_SERVER_URL", "https://github.com")
REPOSITORY = f"{_server}/{_name}" if _name else ""
html_theme_options = {"top_of_page_buttons": []}
if REPOSITORY:
    _icon = {
        "name": "Repository",
        "url": REPOSITORY,
        "html": "Repository",
        "class": "",
    }
    html_theme_options["footer_icons"] = [_icon]


def address_in_repository(path: str) -> str:
    """Give the address of a file or folder in the repository; "" if there is no repository."""
    kind = "tree" if (ROOT / path).is_dir() else "blob"
    branch = quote(os.environ.get("GITHUB_REF_NAME", "HEAD"))
    return REPOSITORY and f"{REPOSITORY}/{kind}/{branch}/{quote(path)}"


def lead_out_of_the_site(app: Sphinx, doctree: nodes.document) -> None:
    """Give links to files that only the repository has its address, or turn them into text.

    A link to something that not even the repository has is left to Sphinx, which warns.
    """
    folder = PurePosixPath(app.env.docname).parent
    links = [
        *doctree.findall(pending_xref),
        *doctree.findall(download_reference),
    ]
    for node in links:
        if node.get("reftype") != "myst" or node.get("refdomain") == "doc":
            continue
        target, _, anchor = node["reftarget"].partition("#")
        path = normpath(folder / target)
        if not target or path.startswith("..") or not (ROOT / path).exists():
            continue
        if path == "README.md":
            node["refdomain"], node["reftarget"] = "doc", "index"
            node["reftargetid"] = anchor
            continue
        # Pages that are HTML already are in the site, at the same place.
        address = (
            target if path.endswith(".html") else address_in_repository(path)
        )
        address += f"#{anchor}" if address and anchor else ""
        text = (
            nodes.reference("", "", refuri=address)
            if address
            else nodes.inline()
        )
        text += node.children
        node.replace_self(text)


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
    """Connect the above; links are changed before Sphinx collects what can be downloaded."""
    app.connect("doctree-read", lead_out_of_the_site, priority=100)
    app.connect("doctree-read", describe_pictures, priority=100)
    app.add_html_math_renderer(
        "mathml", (visit_formula, None), (visit_formula, None)
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
