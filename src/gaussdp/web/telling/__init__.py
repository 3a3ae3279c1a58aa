"""What the server tells its keeper: a log, and numbers for a monitor."""
