"""Active learning: which rows to ask about."""
