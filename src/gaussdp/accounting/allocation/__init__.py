"""Random allocation: the law of a mean of likelihood ratios, from above and from below in convex order."""
