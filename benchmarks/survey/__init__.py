"""Fast error claims held against proved enclosures, on random runs."""
