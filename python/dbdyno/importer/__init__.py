"""Logs of other tools read into evidence of trials: one file a tool.

``read.read_logs`` recognises who has written a log; ``arrange.arrange`` makes a result of its runs;
``storing`` and ``stored`` write and read its directory.
"""
