"""Figures of other hosts, which are asked over a command such as ssh."""
