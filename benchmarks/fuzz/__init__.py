"""Hostile input, tried at random: `python -m benchmarks.fuzz NAME [--seconds N] [--seed S] [--trial K]`."""
