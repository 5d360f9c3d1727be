"""Logs of other tools read into evidence of trials: one file a tool.

``read_logs`` recognises who has written a log; ``arrange`` makes a result of its runs;
``storing`` and ``stored`` write and read its directory.
"""

from dbdyno.importer.arrange import arrange
from dbdyno.importer.read import read_logs

__all__ = ["arrange", "read_logs"]
