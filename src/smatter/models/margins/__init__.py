"""Margins: transductive and semi-supervised SVMs and their kin (SPEC C)."""
