"""Stand-ins for the network: quick, slow on command, counting."""

import io
import threading

import httpx
import numpy as np
from fastapi import FastAPI
from PIL import Image

from semilar.photo import Photo
from semilar.restore import Found
from semilar.serve.app import create_app
from semilar.serve.found import FoundFlare
from semilar.serve.restoring import Asked, Restore
from semilar.serve.settings import Limits, ServiceSettings
from tests.support.pictures import camera_exif, file_bytes, smooth_picture

MODEL = {"name": "fake", "engine": "none"}


FOUND = FoundFlare(Found.STRONG, 0.25)


def dim(photo: Photo, asked: Asked) -> tuple[Photo, FoundFlare]:
    """Takes half of every code away, in an instant."""
    left = photo.pixels * (1 - asked.strength / 2)
    return photo.with_pixels(left.astype(photo.pixels.dtype)), FOUND


class Gate:
    """A restorer that waits to be opened; small pictures, as the warming-up one, pass."""

    def __init__(self) -> None:
        self.opened = threading.Event()
        self.entered = threading.Semaphore(0)
        self.calls = 0

    def __call__(self, photo: Photo, asked: Asked) -> tuple[Photo, FoundFlare]:
        if photo.pixels.any():
            self.calls += 1
            self.entered.release()
            assert self.opened.wait(30), "nobody opened the gate"
        return dim(photo, asked)


def app_with(restore: Restore = dim, *, token: str | None = None, **limits: object) -> FastAPI:
    """The application around a stand-in; `limits` as `Limits` takes them."""
    settings = ServiceSettings(limits=Limits(**limits), token=token)  # type: ignore[arg-type]
    return create_app(restore, settings=settings, model=MODEL)


def client_of(app: FastAPI) -> httpx.AsyncClient:
    """A client that talks to the application without a network."""
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://service", timeout=30)


def jpeg(height: int = 48, width: int = 64) -> bytes:
    """A photo as a phone writes it."""
    picture = Image.fromarray(smooth_picture(height, width))
    return file_bytes(picture, "JPEG", quality=90, exif=camera_exif())


def pixels(content: bytes) -> np.ndarray:
    """Decoded by Pillow, not by the project."""
    return np.asarray(Image.open(io.BytesIO(content)))
