"""What a mu means to people, in words, odds and pictures."""

from gaussdp.explaining.explanation import Explanation, explain

__all__ = ["Explanation", "explain"]
