"""Photographs in and out: safe decoding, upright pixels, metadata kept, whole files only."""

from semilar.photo.folder import find_photos
from semilar.photo.formats import FORMATS, RAW_SUFFIXES, by_suffix, known_suffixes, sniff
from semilar.photo.model import Metadata, Photo, PhotoError, Pixels, to_depth, white
from semilar.photo.reading import DEFAULT_MAX_PIXELS, read
from semilar.photo.writing import encode, losses, write

__all__ = [
    "DEFAULT_MAX_PIXELS",
    "FORMATS",
    "RAW_SUFFIXES",
    "Metadata",
    "Photo",
    "PhotoError",
    "Pixels",
    "by_suffix",
    "encode",
    "find_photos",
    "known_suffixes",
    "losses",
    "read",
    "sniff",
    "to_depth",
    "white",
    "write",
]
