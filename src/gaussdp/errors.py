"""The errors gaussdp raises on purpose."""


class GaussdpError(Exception):
    """Base of every error that gaussdp raises on purpose."""


class DomainError(GaussdpError, ValueError):
    """An input lies outside the domain of its parameter, or has the wrong type or shape."""


class ConvergenceError(GaussdpError, ArithmeticError):
    """A computation could not reach the accuracy it promises, so it returns nothing."""


class MissingExtraError(GaussdpError, ImportError):
    """An optional dependency is not installed; the message holds the command that installs it."""


class UnsupportedVersionError(GaussdpError, ImportError):
    """An optional dependency is installed in a version older than an integration can use."""


class UntestedVersionWarning(UserWarning):
    """An optional dependency is newer than the versions an integration was tested with."""
