"""The sections of a report: each a function from ``Findings`` to a section of the document."""
