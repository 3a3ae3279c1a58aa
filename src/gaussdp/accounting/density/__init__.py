"""Tails of a composed loss off its density."""
