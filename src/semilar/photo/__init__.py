"""Photographs in and out."""
