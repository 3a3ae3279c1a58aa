"""Claims: a published number, held against the run that it is about."""
