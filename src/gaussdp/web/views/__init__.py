"""What the page shows: one file a view, from a request to its answer."""
