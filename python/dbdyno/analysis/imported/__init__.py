"""What somebody else has measured, analysed by the same rules: logs of other tools, and tables.

Much of what a report of our own trials says is not known here. It is absent then, and never zero.
"""
