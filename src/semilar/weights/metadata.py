"""Text kept inside a file of weights, and a checksum of all the rest of it.

Safetensors files have a header in JSON with room for text; ONNX files are a sequence of protobuf
fields, one kind of which is a pair of strings. Both are read and written here without the packages
that know more about them, so that the base install can do it.
"""

import contextlib
import hashlib
import json
import struct
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import IO, Any, NamedTuple

from semilar.errors import ModelError

_METADATA = "__metadata__"  # the key of a safetensors header that holds text
_PROPERTIES = 14  # the number of ModelProto's field metadata_props
_BLOCK = 2**20
_ALIGNMENT = 8  # of the first tensor in a safetensors file


def sha256(file: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def read_metadata(path: Path) -> dict[str, str]:
    """The text inside a .safetensors or .onnx file, by key."""
    with _opened(path) as stream:
        if path.suffix == ".safetensors":
            return dict(_header(stream).get(_METADATA) or {})
        return dict(
            _pair(_payload(stream, field))
            for field in _fields(stream)
            if field.number == _PROPERTIES
        )


def content_sha256(path: Path) -> str:
    """The SHA-256, in hexadecimal, of all of a file but the text inside it."""
    with _opened(path) as stream:
        return _digest(stream, path.suffix)


def with_metadata(content: bytes, suffix: str, metadata: Mapping[str, str]) -> bytes:
    """The `content` of a .safetensors or .onnx file with other text inside."""
    stream = BytesIO(content)
    if suffix == ".safetensors":
        header = {**_header(stream), _METADATA: dict(metadata)}
        text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
        text += b" " * (-len(text) % _ALIGNMENT)
        return struct.pack("<Q", len(text)) + text + content[stream.tell() :]
    kept = [content[one.start : one.end] for one in _fields(stream) if one.number != _PROPERTIES]
    return b"".join(kept) + b"".join(
        _delimited(_PROPERTIES, _delimited(1, key.encode()) + _delimited(2, text.encode()))
        for key, text in metadata.items()
    )


def content_sha256_of(content: bytes, suffix: str) -> str:
    """`content_sha256` of a file that is not written yet."""
    return _digest(BytesIO(content), suffix)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """A file open for reading; whatever is wrong with it ends in one error."""
    try:
        with path.open("rb") as stream:
            yield stream
    except (OSError, ValueError, EOFError, struct.error) as error:
        raise ModelError(f"{path}: is not a model that can be run ({error}).") from None


def _digest(stream: IO[bytes], suffix: str) -> str:
    found = hashlib.sha256()
    if suffix == ".safetensors":
        header = {name: facts for name, facts in _header(stream).items() if name != _METADATA}
        found.update(json.dumps(header, sort_keys=True).encode())
        while block := stream.read(_BLOCK):
            found.update(block)
        return found.hexdigest()
    for field in _fields(stream):
        if field.number != _PROPERTIES:
            stream.seek(field.start)
            for start in range(field.start, field.end, _BLOCK):
                found.update(_exactly(stream, min(_BLOCK, field.end - start)))
    return found.hexdigest()


def _header(stream: IO[bytes]) -> dict[str, Any]:
    """The header of a safetensors file; the stream then stands at the first tensor."""
    (length,) = struct.unpack("<Q", _exactly(stream, 8))
    if length > 100_000_000:  # the format's own limit
        raise ValueError("its header is too long")
    header = json.loads(_exactly(stream, length))
    if not isinstance(header, dict):
        raise ValueError("its header is no object")
    return header


class _Field(NamedTuple):
    """Where one protobuf field stands: its number, its first byte, its payload, its end."""

    number: int
    start: int
    payload: int
    end: int


def _fields(stream: IO[bytes]) -> Iterator[_Field]:
    """The fields of the outermost protobuf message, in order."""
    size = stream.seek(0, 2)
    start = 0
    while start < size:
        stream.seek(start)
        key = _varint(stream)
        number, kind = key >> 3, key & 7
        if kind == 0:
            payload = stream.tell()
            _varint(stream)
            end = stream.tell()
        elif kind == 2:
            length = _varint(stream)
            payload = stream.tell()
            end = payload + length
        else:
            raise ValueError("it is no ONNX file")
        if end > size or number == 0:
            raise ValueError("it is cut short or no ONNX file")
        yield _Field(number, start, payload, end)
        start = end


def _payload(stream: IO[bytes], field: _Field) -> bytes:
    stream.seek(field.payload)
    return _exactly(stream, field.end - field.payload)


def _pair(message: bytes) -> tuple[str, str]:
    stream = BytesIO(message)
    parts = {field.number: _payload(stream, field).decode() for field in _fields(stream)}
    return parts.get(1, ""), parts.get(2, "")


def _varint(stream: IO[bytes]) -> int:
    value = 0
    for shift in range(0, 70, 7):
        byte = _exactly(stream, 1)[0]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value
    raise ValueError("it is no ONNX file")


def _delimited(number: int, payload: bytes) -> bytes:
    """A protobuf field of bytes."""
    return _as_varint(number << 3 | 2) + _as_varint(len(payload)) + payload


def _as_varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _exactly(stream: IO[bytes], count: int) -> bytes:
    found = stream.read(count)
    if len(found) < count:
        raise EOFError("it is cut short")
    return found
