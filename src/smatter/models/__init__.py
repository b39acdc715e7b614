"""Models, one file an algorithm, in folders by family."""
