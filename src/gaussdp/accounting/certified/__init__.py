"""Proved enclosures of what a run guarantees, in ball arithmetic (the extra `certified`); see docs/certified.md."""
