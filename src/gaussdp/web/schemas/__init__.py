"""Requests and responses: declared once, read strictly, described as JSON Schema."""
