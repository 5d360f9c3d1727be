"""Kills servers under load, and asks them afterwards for what they had acknowledged."""
