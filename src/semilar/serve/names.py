"""File names that strangers send: made harmless, and given back with the answer."""

import re
from pathlib import PurePosixPath
from urllib.parse import quote

from semilar.photo import FORMATS

_MOST_CHARACTERS = 120
MEDIA_TYPES = {name: one.media_type for name, one in FORMATS.items()}


def harmless(name: str | None) -> str:
    """The last part of a path, without control characters, of bounded length.

    >>> harmless("../../etc/passwd"), harmless("C:\\\\photos\\\\a\\r\\nb.jpg"), harmless("..")
    ('passwd', 'ab.jpg', 'photo')
    """
    last = re.split(r"[/\\]", name or "")[-1]
    kept = "".join(one for one in last if one.isprintable()).strip(" .")
    if len(kept) > _MOST_CHARACTERS:
        ending = PurePosixPath(kept).suffix[:10]
        kept = kept[: _MOST_CHARACTERS - len(ending)] + ending
    return kept or "photo"


def named(name: str, kind: str, *, layer: str = "scene") -> str:
    """The name of the answer: the original's, with the suffix of the format it has now.

    >>> named("street.JPG", "JPEG"), named("street.jpg", "PNG", layer="flare")
    ('street.JPG', 'street.flare.png')
    """
    path = PurePosixPath(name)
    suffixes = FORMATS[kind].suffixes
    suffix = path.suffix if path.suffix.lower() in suffixes else suffixes[0]
    return f"{path.stem}{'' if layer == 'scene' else '.' + layer}{suffix}"


def disposition(name: str) -> str:
    """The Content-Disposition header for a download called `name` (RFC 6266).

    >>> disposition("nuit étoilée.jpg")
    'attachment; filename="nuit ?toil?e.jpg"; filename*=UTF-8\\'\\'nuit%20%C3%A9toil%C3%A9e.jpg'
    """
    plain = re.sub(r'[^ -~]|["\\%]', "?", name)
    exact = quote(name, safe="", errors="replace")
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{exact}"
