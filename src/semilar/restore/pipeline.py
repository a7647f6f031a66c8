"""Read, restore, write: the one way that a picture goes, whoever asks for it.

`pipe` takes pictures from a source, restores each and hands it to a sink. A source is anything
that gives `Photo`s one after another, a sink anything that takes what became of one. Files are one
pair of them, standing here; requests of the service are another. Frames of a video or a camera
need a generator and a function, and nothing else of the package has to change.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from semilar import photo as photos
from semilar.photo import Photo
from semilar.restore.compare import side_by_side
from semilar.restore.remover import Remover, Result

T = TypeVar("T")
LayerName = Literal["scene", "flare", "compare"]
PipelineStep = Literal["read", "remove", "write"]


@dataclass(frozen=True)
class Restored:
    """A photo as it came, and what was found in it."""

    before: Photo
    result: Result[Photo]

    def picture(self, layer: LayerName = "scene") -> Photo:
        """The restored scene, the flare that was taken away, or before and after in one."""
        if layer == "flare":
            return self.result.flare
        return (
            self.result.image if layer == "scene" else side_by_side(self.before, self.result.image)
        )


def pipe(
    source: Iterable[Photo],
    restore: Callable[[Photo], T],
    sink: Callable[[T], None],
    *,
    after: Callable[[PipelineStep], None] = lambda step: None,
) -> int:
    """Take every picture of `source` through `restore` to `sink`; gives how many there were.

    One picture is held at a time. `after` is told when one of its steps is done; what it raises
    ends the work.
    """
    count = 0
    for photo in source:
        after("read")
        restored = restore(photo)
        del photo
        after("remove")
        sink(restored)
        after("write")
        count += 1
    return count


def with_remover(
    remover: Remover, *, strength: float = 1.0, mask: Any = None
) -> Callable[[Photo], Restored]:
    """What `pipe` restores with: a session and how much of the flare it takes, and where."""

    def restore(photo: Photo) -> Restored:
        return Restored(photo, remover.remove(photo, strength=strength, mask=mask))

    return restore


def from_file(source: str | Path | bytes, **reading: Any) -> Iterator[Photo]:
    """The photo of one file, read when it is asked for; `reading` goes to `semilar.photo.read`."""
    yield photos.read(source, **reading)


@dataclass(frozen=True, kw_only=True)
class ToFiles:
    """Writes each layer of a photo that has a place; the scene last, which tells of success."""

    scene: Path | Callable[[Photo], None]
    flare: Path | None = None
    compare: Path | None = None
    quality: int | None = None
    force: bool = False

    def __call__(self, restored: Restored) -> None:
        """The sink."""
        if self.flare:
            photos.write(restored.picture("flare"), self.flare, force=self.force)
        if self.compare:
            photos.write(restored.picture("compare"), self.compare, force=self.force)
        if isinstance(self.scene, Path):
            image = restored.picture()
            photos.write(image, self.scene, quality=self.quality, force=self.force)
        else:
            self.scene(restored.picture())
