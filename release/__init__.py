"""What a release is made of beside the code: its notes, the notices of others, the wheel's content.

Each part is a command, as ``python -m release.notes`` is. None of it is in the wheel.
"""
