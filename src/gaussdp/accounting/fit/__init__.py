"""The tightest mu of an accounted loss, with its slack and its regret."""
