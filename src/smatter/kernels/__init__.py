"""Compiled loops that two or more algorithms share."""
