"""The calculator in a real browser; a package, so that the browser ends with its tests."""
