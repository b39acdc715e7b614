"""Sphinx settings: Markdown pages through MyST, docstrings through numpydoc."""

import importlib.metadata

project = "smatter"
author = "the smatter engineers"
version = release = importlib.metadata.version("smatter")
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.mathjax", "numpydoc"]
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
myst_dmath_allow_labels = False  # "(K 4.1)" behind an equation is its number in the paper
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "smatter"
numpydoc_show_class_members = False
suppress_warnings = ["myst.xref_missing", "ref.class"]
