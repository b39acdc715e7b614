"""Documents from files: readers, cleaning, near-duplicates."""
