"""Privacy loss distributions on a grid, and curves known at points of their profile."""
