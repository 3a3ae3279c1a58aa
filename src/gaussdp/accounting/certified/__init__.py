"""Proved enclosures of what a run guarantees, by ball arithmetic (the extra `certified`); the proofs: docs/certified.md."""
