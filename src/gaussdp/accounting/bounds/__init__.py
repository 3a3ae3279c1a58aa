"""Bounds beside the exact curve: what holds, and what is proved, where a mechanism is not the one accounted for."""
