"""Tails of a composed loss by integrals along vertical lines."""
