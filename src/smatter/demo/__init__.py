"""A small collection of an invented company, made on the spot, whose true categories are known."""
