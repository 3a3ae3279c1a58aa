"""Adapters to other libraries, one file each; each needs its own extra and is imported when used."""
