"""The documentation site: the pages of the repository, and references made of the code.

``python -m docs_build`` writes it to ``target/site`` (``make docs``). Sphinx builds it: its search
works on pages that are opened as files, and it names each link and anchor that leads nowhere.
"""
