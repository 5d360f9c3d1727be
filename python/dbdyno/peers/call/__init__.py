"""What commands without an experiment file share: a place, a load, a trial and its result.

Such a command reads options of its own form, and from then on there are only the plans of
ARCHITECTURE.md and the generator's events.
"""
