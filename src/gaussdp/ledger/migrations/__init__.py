"""The schema of a book, version by version."""
