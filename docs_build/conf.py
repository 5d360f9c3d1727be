"""Sphinx's settings. It reads the pages that ``docs_build.sources`` has put together."""

from __future__ import annotations

from dbdyno import __version__

project = "dbdyno"
version = release = __version__
html_title = f"dbdyno {__version__}"

extensions = ["myst_parser"]
root_doc = "index"
nitpicky = True
# Quotes of code and of YAML stay what they are.
smartquotes = False

# Anchors of headings are those that the plain repository's pages have.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
highlight_language = "none"

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_use_index = False
# An excerpt is fetched, which a browser refuses to a page that was opened as a file.
html_show_search_summary = False
