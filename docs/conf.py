"""Sphinx: Markdown sources, one theme, no network."""

project = "Trialogue"
copyright = "The Trialogue developers"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "Trialogue"
exclude_patterns = ["README.md"]
autodoc_typehints = "description"
autodoc_member_order = "bysource"
add_module_names = False
napoleon_google_docstring = True
nitpicky = False
html_static_path = ["static"]
suppress_warnings = ["myst.xref_missing", "ref.python"]
