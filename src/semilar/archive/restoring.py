"""One photo from bytes to bytes, by the same calls that `semilar remove` makes."""

from dataclasses import dataclass
from pathlib import Path

from semilar import photo as photos
from semilar.errors import PhotoError
from semilar.photo import FORMATS, Photo, by_suffix, known_suffixes, sniff
from semilar.restore import PhotoOptions, Remover, Result, find_model, with_remover

TAR = ".tar"


@dataclass(frozen=True, kw_only=True)
class BulkSettings:
    """What a worker needs to know; travels to other processes and nodes."""

    target: str
    options: PhotoOptions
    model: str = "semilar-t"
    inference: str | None = None
    device: str | None = None
    threads: int = 1
    working_size: int | None = None
    storage: dict[str, dict] | None = None
    together: int = 1
    """How many photos of one working size go through the network at once."""

    def of_result(self) -> dict[str, object]:
        """The settings that a result depends on."""
        options = self.options
        return {
            "output": self.target,
            "model": self.model,
            "weights": find_model(self.model).fingerprint(),
            "working_size": self.working_size,
            "strength": options.strength,
            "quality": options.quality,
            "first_frame": options.first_frame,
            "strip_gps": options.strip_gps,
        }

    def open(self) -> Remover:
        """Load the model."""
        return Remover(
            model=self.model,
            engine=self.inference,
            device=self.device,
            threads=self.threads,
            working_size=self.working_size,
        )


def decode(content: bytes, name: str, options: PhotoOptions) -> Photo:
    """A file's bytes to upright *encoded* pixels."""
    return next(options.source(content, name=name))


def restore(photo: Photo, remover: Remover, options: PhotoOptions) -> Result[Photo]:
    """The photo without its flare, and what was found."""
    return with_remover(remover, strength=options.strength)(photo).result


def encode(photo: Photo, target: str, options: PhotoOptions) -> bytes:
    """The bytes of the file that `semilar remove` would write to `target`."""
    kind = by_suffix(Path(target))
    if kind is None:
        known = ", ".join(one.suffixes[0] for one in FORMATS.values())
        raise PhotoError(f"{target}: cannot be written; known are {known}.")
    return photos.encode(photo, format=kind, quality=options.quality)


def named(target: str, content: bytes) -> str:
    """`target`, with a suffix where it has none that says its format."""
    if Path(target).suffix.lower() in known_suffixes():
        return target
    kind = sniff(content[:64])
    return f"{target}{FORMATS[kind].suffixes[0]}" if kind else target
