"""How Sphinx makes the site; `make docs` copies the pages beside this file, and adds what is generated."""

from typing import Any

from docutils.nodes import SkipNode
from docutils.utils.math.latex2mathml import tex2mathml

import clusterdiff

project = "clusterdiff"
author = "The clusterdiff developers"
copyright = author  # noqa: A001
release = version = clusterdiff.__version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["site", "extra"]
# Anchors of headings as git hosts make them.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "attrs_inline"]
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False
# Attributes that a docstring lists are described by themselves as well.
napoleon_use_ivar = True
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
html_theme = "furo"
html_title = "clusterdiff"
html_extra_path = ["extra"]
html_show_sphinx = False
html_copy_source = False
# A docstring may name a method that several classes have.
suppress_warnings = ["myst.header", "ref.python"]
html_math_renderer = "mathml"


def _formula(self: Any, node: Any, block: bool = False) -> None:
    """Browsers show MathML by themselves: no script has to be fetched."""
    self.body.append(tex2mathml(node.astext(), as_block=block))
    raise SkipNode


def setup(app: Any) -> None:
    """A renderer of formulas that needs no network."""
    app.add_html_math_renderer(
        "mathml", (_formula, None), (lambda self, node: _formula(self, node, block=True), None)
    )
