"""The body of a request, held in memory and watched while it arrives: size, speed, form."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from http import HTTPStatus

from fastapi import Request
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from semilar.serve.problems import RefusedError
from semilar.serve.settings import Limits

_FILES = ("photo", "mask")
_MOST_FIELDS = 16
_MOST_FIELD_BYTES = 4096


class ClientGoneError(Exception):
    """The client closed the connection; nobody waits for an answer."""


@dataclass(frozen=True)
class Upload:
    """What a client sent: the picture's file, its name, a mask, options given as form fields."""

    content: bytes
    name: str | None = None
    mask: bytes | None = None
    fields: dict[str, str] = field(default_factory=dict)


async def read_upload(request: Request, limits: Limits) -> Upload:
    """Read a body: a form with the photo and perhaps a mask, or the picture itself."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "multipart/form-data":
        return await _form(request, limits)
    if kind.startswith("image/") or kind in ("application/octet-stream", ""):
        return Upload(b"".join([chunk async for chunk in _chunks(request, limits)]))
    raise RefusedError(
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
        "Send the photo as the body with a Content-Type of image/..., or as the field 'photo' of a "
        f"multipart/form-data form; {kind!r} is neither.",
    )


async def _form(request: Request, limits: Limits) -> Upload:
    parser = MultiPartParser(
        request.headers,
        _chunks(request, limits),
        max_files=len(_FILES),
        max_fields=_MOST_FIELDS,
        max_part_size=_MOST_FIELD_BYTES,
    )
    parser.spool_max_size = 0  # no size at which the file would move to disk
    try:
        form = await parser.parse()
    except MultiPartException as error:
        raise _bad(f"The form cannot be read: {error.message.rstrip('.')}.") from None
    except (ValueError, LookupError) as error:  # names in an encoding that does not exist
        raise _bad(f"The form cannot be read ({type(error).__name__}).") from None
    files: dict[str, UploadFile] = {}
    fields: dict[str, str] = {}
    for name, value in form.multi_items():
        if not isinstance(value, UploadFile):
            fields[name] = value
        elif name in files:
            raise _bad(f"The form has two files called {name!r}.")
        else:
            files[name] = value
    if "photo" not in files:
        raise _bad("The form has no file in a field called 'photo'.")
    content = {name: value.file.read() for name, value in files.items()}
    await form.close()
    return Upload(content["photo"], files["photo"].filename, content.get("mask"), fields)


def _bad(message: str) -> RefusedError:
    return RefusedError(HTTPStatus.BAD_REQUEST, message)


async def _chunks(request: Request, limits: Limits) -> AsyncGenerator[bytes, None]:
    """The body as it arrives; too much or too slow is an error, announced or not."""
    too_large = RefusedError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        f"The body is larger than the limit of {limits.body_bytes:,} bytes.",
    )
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > limits.body_bytes:
        raise too_large
    received, started = 0, asyncio.get_running_loop().time()
    while True:
        patience = limits.body_seconds + received / limits.body_rate
        try:
            async with asyncio.timeout_at(started + patience):
                message = await request.receive()
        except TimeoutError:
            raise RefusedError(
                HTTPStatus.REQUEST_TIMEOUT, "The body arrives too slowly to be waited for."
            ) from None
        if message["type"] == "http.disconnect":
            raise ClientGoneError
        chunk = message.get("body", b"")
        received += len(chunk)
        if received > limits.body_bytes:
            raise too_large
        yield chunk
        if not message.get("more_body", False):
            return
