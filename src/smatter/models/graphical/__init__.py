"""Graphs: cuts, walks, fields and messages (SPEC D)."""
