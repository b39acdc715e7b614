"""Splits, metrics, significance, curves and reports."""
