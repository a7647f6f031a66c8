"""Removes lens flare from night photographs."""

__version__ = "0.1.0"
