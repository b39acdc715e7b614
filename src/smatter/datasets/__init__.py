"""Loaders of public collections from their official archives."""
