"""What is known of a host and of dbdyno on it, as types: for watch, store, analysis and report.

Nothing is looked up here; ``watch.facts`` does that. A fact that is not known is None, and where a
machine tells that there is none, the fact is ``NONE``.
"""
