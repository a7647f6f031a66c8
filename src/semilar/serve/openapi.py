"""What the OpenAPI document says beyond what the routes' types tell."""

from typing import Any

from pydantic import BaseModel, Field

from semilar.serve.found import WORDS
from semilar.serve.names import MEDIA_TYPES
from semilar.serve.problems import MEDIA_TYPE as PROBLEM_TYPE
from semilar.serve.problems import ProblemText
from semilar.serve.restoring import ClientOptions
from semilar.serve.settings import ServiceSettings


class Model(BaseModel):
    """The network that restores."""

    name: str = Field(examples=["semilar-t"])
    engine: str = Field(examples=["onnx"])
    working_size: int | None = Field(None, description="Short side of what it sees.")
    views: int | None = Field(None, description="In how many orientations it sees a photo.")
    licence: str | None = Field(None, description="Of the weights.")


class PublicLimits(BaseModel):
    """What may be sent."""

    body_bytes: int = Field(examples=[50_000_000])
    pixels: int = Field(examples=[64_000_000])
    formats: list[str] = Field(examples=[["JPEG", "PNG"]])


class Models(BaseModel):
    """The model in use and the limits."""

    models: list[Model]
    limits: PublicLimits


class State(BaseModel):
    """Alive, ready or not."""

    status: str = Field(examples=["ok"])


_BINARY = {"schema": {"type": "string", "format": "binary"}}
_FIELDS: dict[str, Any] = ClientOptions.model_json_schema()["properties"]

REMOVE_BODY: dict[str, Any] = {
    "required": True,
    "content": {
        "multipart/form-data": {
            "schema": {
                "type": "object",
                "required": ["photo"],
                "properties": {
                    "photo": {"type": "string", "format": "binary"},
                    "mask": {
                        "type": "string",
                        "format": "binary",
                        "description": "White where flare may be taken away, black where nothing "
                        "may change: a picture of the photo's shape, of any size.",
                    },
                    **_FIELDS,
                },
            },
            "examples": {"half": {"summary": "Half", "value": {"photo": "…", "strength": 0.5}}},
        },
        **dict.fromkeys(MEDIA_TYPES.values(), _BINARY),
        "application/octet-stream": _BINARY,
    },
}

_MESSAGES = {
    400: ("The form cannot be read.", "The form has no file in a field called 'photo'."),
    401: ("A token is wanted.", "This service wants a token: Authorization: Bearer TOKEN."),
    403: ("A page of another origin.", "Pages of other origins may not post here."),
    408: ("The body came too slowly.", "The body arrives too slowly to be waited for."),
    413: ("The body is too large.", "The body is larger than the limit of 50,000,000 bytes."),
    415: ("Not a format taken here.", "street.heic: HEIF is not taken here; taken are JPEG, PNG."),
    422: ("Not a sound picture, or a wrong option.", "street.jpg: is empty."),
    429: ("This client asks too often.", "More than 120 photos a minute; try again in 2 s."),
    503: ("Every place is taken.", "Too many photos are waiting; try again in 4 s."),
    504: ("The photo took too long.", "The photo took longer than the limit of 60 s."),
}
_RETRY = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}}


def remove_responses(settings: ServiceSettings) -> dict[int | str, dict[str, Any]]:
    """Every answer `/v1/remove` can give."""
    text = {"schema": {"type": "string"}}
    headers = {
        "Content-Disposition": {"description": "The photo's own name.", **text},
        "Server-Timing": {"description": "Milliseconds per step.", **text},
        "Semilar-Flare-Found": {
            "description": "How much flare was found; if none, the photo comes back unchanged.",
            "schema": {"type": "string", "enum": list(WORDS)},
        },
        "Semilar-Flare-Light": {
            "description": "The flare's mean linear light, as a share of white.",
            "schema": {"type": "number", "minimum": 0},
        },
    }
    picture = {
        "description": "The picture.",
        "headers": headers,
        "content": dict.fromkeys(MEDIA_TYPES.values(), _BINARY),
    }
    statuses = [status for status in _MESSAGES if status != 401 or settings.token is not None]
    return {200: picture, **{status: _problem(status) for status in statuses}}


def locked_responses(settings: ServiceSettings) -> dict[int | str, dict[str, Any]]:
    """The answer to those without a token, where one is wanted."""
    return {} if settings.token is None else {401: _problem(401)}


def metrics_responses(settings: ServiceSettings) -> dict[int | str, dict[str, Any]]:
    """Text, or the demand for a token."""
    text = {
        "description": "Prometheus text.",
        "content": {"text/plain": {"schema": {"type": "string"}}},
    }
    return {200: text, **locked_responses(settings)}


def _problem(status: int) -> dict[str, Any]:
    description, message = _MESSAGES[status]
    example = {"title": description.rstrip("."), "status": status, "detail": message}
    content = {PROBLEM_TYPE: {"schema": ProblemText.model_json_schema(), "example": example}}
    answer: dict[str, Any] = {"description": description, "content": content}
    return {**answer, "headers": _RETRY} if status in (429, 503) else answer
