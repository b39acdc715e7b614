"""Graph builders and operators, all sparse."""
