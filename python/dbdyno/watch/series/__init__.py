"""Figures over time: what is read at each interval, by whom, and the table that becomes of it."""
