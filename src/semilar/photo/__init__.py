"""Photographs in and out: safe decoding, upright pixels, metadata kept, whole files only."""

from semilar.photo.folder import find_photos, photos_by_name
from semilar.photo.formats import FORMATS, RAW_SUFFIXES, by_suffix, known_suffixes, sniff
from semilar.photo.light import Floats, linear_to_srgb, srgb_table, srgb_to_linear
from semilar.photo.made import data_address, plain_png
from semilar.photo.model import Bytes, Metadata, Photo, PhotoError, Pixels, to_depth, white
from semilar.photo.reading import DEFAULT_MAX_PIXELS, read
from semilar.photo.writing import encode, losses, write

__all__ = [
    "DEFAULT_MAX_PIXELS",
    "FORMATS",
    "RAW_SUFFIXES",
    "Bytes",
    "Floats",
    "Metadata",
    "Photo",
    "PhotoError",
    "Pixels",
    "by_suffix",
    "data_address",
    "encode",
    "find_photos",
    "known_suffixes",
    "linear_to_srgb",
    "losses",
    "photos_by_name",
    "plain_png",
    "read",
    "sniff",
    "srgb_table",
    "srgb_to_linear",
    "to_depth",
    "white",
    "write",
]
