"""Aspect models: PLSA with labels that are missing, fake or mistaken (SPEC B)."""
