"""Numbers in sentences."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun.

    >>> counted(1, "row"), counted(1200, "row"), counted(2, "category", "categories")
    ('1 row', '1,200 rows', '2 categories')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
