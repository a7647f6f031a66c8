"""Everything that can be set about the service, with its limits."""

import re
from dataclasses import dataclass, field, fields

from semilar.errors import SemilarError
from semilar.photo import FORMATS
from semilar.serve.hosts import check_origin

RAW = "RAW"


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one process of the service takes on. Past a limit the client is told which."""

    body_bytes: int = 50_000_000
    """Largest request body, counted while it arrives."""
    body_seconds: float = 20.0
    """Grace for a body; beyond it the body has to keep up `body_rate`."""
    body_rate: float = 50_000.0
    """Slowest upload that is waited for, bytes per second."""
    head_seconds: float = 10.0
    """Time for the head of a request, and for a client to read on when it stops reading."""
    pixels: int = 64_000_000
    """Largest picture, checked before it is decoded."""
    formats: tuple[str, ...] = tuple(FORMATS)
    """Formats let in: keys of `photo.formats.FORMATS`, and RAW for camera files."""
    workers: int = 2
    """Photos worked on at the same time."""
    queue: int = 32
    """Requests that may wait; the next one is answered 503."""
    job_seconds: float = 60.0
    """Longest time for one photo, waiting not counted."""
    rate: float = 120.0
    """Photos per minute and client, 0 for no limit; half a minute's worth may come at once."""
    connections: int = 512
    """Open connections."""

    def __post_init__(self) -> None:
        for item in fields(self):
            value, name = getattr(self, item.name), item.name.replace("_", " ")
            if item.name in ("queue", "rate"):
                if value < 0:
                    raise SemilarError(f"The {name} of the service cannot be less than 0.")
            elif item.name != "formats" and not value > 0:
                raise SemilarError(f"The {name} of the service have to be more than 0.")
        known = (*FORMATS, RAW)
        for one in self.formats:
            if one not in known:
                raise SemilarError(f"{one} is not a known format; known are {', '.join(known)}.")
        if not self.formats:
            raise SemilarError(f"At least one format is needed; known are {', '.join(known)}.")


@dataclass(frozen=True, kw_only=True)
class ServiceSettings:
    """What the service is and who may use it."""

    limits: Limits = field(default_factory=Limits)
    token: str | None = None
    """If given, `/v1/...` and `/metrics` answer only to `Authorization: Bearer TOKEN`."""
    cors: tuple[str, ...] = ()
    """Web origins whose pages may use the service, as `https://example.org`; `*` for all."""
    hosts: tuple[str, ...] | None = None
    """Names in a Host header that are answered; None for all."""
    addresses: bool = False
    """Whether a Host header may also be any numeric address."""
    access_log: bool = False
    """One line for each request, on standard error."""

    def __post_init__(self) -> None:
        if self.token is not None and not re.fullmatch(r"[A-Za-z0-9._~+/=-]+", self.token):
            raise SemilarError("A token is made of letters, digits and . _ ~ + / = - only.")
        for origin in self.cors:
            check_origin(origin, token=self.token is not None)
