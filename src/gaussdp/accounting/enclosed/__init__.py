"""Proved bounds on both sides of a curve that no exact method reads: enclosures at once, whatever the run."""
