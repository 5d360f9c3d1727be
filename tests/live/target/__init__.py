"""Tests of servers that are really started."""
