"""The command line, one file a command: parse, one library call, render."""

from gaussdp.cli.app import main

__all__ = ["main"]
