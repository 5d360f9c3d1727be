"""Tests of the result directory."""
