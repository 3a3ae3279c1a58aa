"""Documents: blocks and tables that know how they round, and one renderer a format."""
