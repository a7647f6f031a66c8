"""One photo from bytes to bytes, in a thread. The same steps as `semilar remove` takes."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import PurePath
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from semilar import photo as photos
from semilar.errors import MissingExtraError, SemilarError
from semilar.photo import FORMATS, RAW_SUFFIXES, Photo, sniff, to_depth
from semilar.restore import LayerName, PipelineStep, from_file, pipe
from semilar.serve.body import Upload
from semilar.serve.found import FoundFlare
from semilar.serve.names import MEDIA_TYPES, harmless, named
from semilar.serve.problems import RefusedError
from semilar.serve.settings import RAW, Limits

FormatName = Literal["jpeg", "png", "tiff", "webp", "avif", "bmp", "ppm", "heif"]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """How a photo is to be restored."""

    strength: float = 1.0
    layer: LayerName = "scene"
    mask: NDArray[np.uint8] | None = None
    """(h, w), 255 where flare may be taken away, 0 where nothing may change."""


Restore = Callable[[Photo, Asked], tuple[Photo, FoundFlare]]
"""A photo to the wanted layer and how much flare was found."""


class ClientOptions(BaseModel):
    """What a client may ask for."""

    model_config = ConfigDict(extra="forbid")

    strength: float = Field(
        1.0, ge=0, le=2, description="How much of the flare is taken away; past 1, too much."
    )
    layer: LayerName = Field(
        "scene",
        description="The restored scene, the removed flare, or before and after side by side.",
    )
    format: FormatName | None = Field(None, description="Left out: as the photo came.")
    quality: int | None = Field(
        None, ge=1, le=100, description="For JPEG, WebP, AVIF and HEIC; left out: as it came."
    )
    name: str | None = Field(
        None, max_length=1000, description="The photo's file name, for a body without a form."
    )


@dataclass(frozen=True)
class Answer:
    """A finished picture and what there is to say about it."""

    content: bytes
    media_type: str
    name: str
    found: FoundFlare
    seconds: dict[str, float]


class AbandonedError(Exception):
    """Nobody waits for this photo any more."""


def restore_file(
    upload: Upload,
    options: ClientOptions,
    limits: Limits,
    restore: Restore,
    stop: threading.Event,
) -> Answer:
    """Decode, restore, encode; between the steps look whether anybody still waits."""
    content, label = upload.content, harmless(upload.name or options.name)
    seconds: dict[str, float] = {}
    clock = time.perf_counter()

    def lap(step: PipelineStep) -> None:
        nonlocal clock
        seconds[step], clock = time.perf_counter() - clock, time.perf_counter()
        if stop.is_set():
            raise AbandonedError

    if stop.is_set():
        raise AbandonedError
    try:
        _check_format(content, label, limits)
        mask = None if upload.mask is None else _mask(upload.mask, limits)
        asked = Asked(strength=options.strength, layer=options.layer, mask=mask)
        answers: list[Answer] = []

        def sink(restored: tuple[Photo, FoundFlare]) -> None:
            picture, found = restored
            kind = options.format.upper() if options.format else picture.format
            encoded = photos.encode(picture, format=kind, quality=options.quality)
            name = named(label, kind, layer=options.layer)
            answers.append(Answer(encoded, MEDIA_TYPES[kind], name, found, seconds))

        source = from_file(content, name=label, max_pixels=limits.pixels)
        pipe(source, lambda photo: restore(photo, asked), sink, after=lap)
    except MissingExtraError as error:
        raise RefusedError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, str(error)) from None
    except SemilarError as error:
        raise RefusedError(HTTPStatus.UNPROCESSABLE_ENTITY, str(error)) from None
    return answers[0]


def _mask(content: bytes, limits: Limits) -> NDArray[np.uint8]:
    """A mask from its file; PNG is always taken, the page sends it."""
    _check_format(content, "mask", limits, also="PNG")
    pixels = photos.read(content, name="mask", max_pixels=limits.pixels).pixels
    return to_depth(pixels.max(axis=2), 8)


def _check_format(content: bytes, label: str, limits: Limits, also: str | None = None) -> None:
    """Refuse a known format that this service does not take; unknown ones `read` refuses."""
    raw = PurePath(label).suffix.lower() in RAW_SUFFIXES
    kind = RAW if raw else sniff(content[:64])
    if kind in (*FORMATS, RAW) and kind not in (*limits.formats, also):
        taken = ", ".join(limits.formats)
        raise RefusedError(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            f"{label}: {kind} is not taken here; taken are {taken}.",
        )
