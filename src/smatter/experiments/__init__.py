"""The seed documents' tables as runnable definitions."""
