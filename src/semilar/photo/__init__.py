"""Photographs in and out: safe decoding, upright pixels, metadata kept, whole files only."""

from semilar.photo.folder import find_photos
from semilar.photo.model import Metadata, Photo, PhotoError, to_depth, white
from semilar.photo.reading import DEFAULT_MAX_PIXELS, read
from semilar.photo.writing import encode, losses, write

__all__ = [
    "DEFAULT_MAX_PIXELS",
    "Metadata",
    "Photo",
    "PhotoError",
    "encode",
    "find_photos",
    "losses",
    "read",
    "to_depth",
    "white",
    "write",
]
