"""`semilar.remove`: one call, no session to keep."""

from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import IO, Any, TypeVar, overload

from semilar.errors import SettingError
from semilar.restore.models import DEFAULT_MODEL
from semilar.restore.naming import beside
from semilar.restore.pipeline import ToFiles, from_file, pipe, with_remover
from semilar.restore.remover import Remover

T = TypeVar("T")


@overload
def remove(
    picture: IO[bytes],
    *,
    strength: float = 1.0,
    mask: Any = None,
    model: str | Path = DEFAULT_MODEL,
    engine: str | None = None,
    output: str | Path | None = None,
    force: bool = False,
) -> BytesIO: ...
@overload
def remove(
    picture: T,
    *,
    strength: float = 1.0,
    mask: Any = None,
    model: str | Path = DEFAULT_MODEL,
    engine: str | None = None,
    output: str | Path | None = None,
    force: bool = False,
) -> T: ...
def remove(
    picture: Any,
    *,
    strength: float = 1.0,
    mask: Any = None,
    model: str | Path = DEFAULT_MODEL,
    engine: str | None = None,
    output: str | Path | None = None,
    force: bool = False,
) -> Any:
    """Take the flare out of `picture` and give back what was given.

    The bytes of a file give bytes, a file object open for reading bytes gives a `BytesIO`, a
    Pillow image an image, an array an array of its type, a `Photo` a photo. A path gives the path
    of the new file: `output`, or `street.deflared.jpg` beside `street.jpg`; an existing file is
    only replaced with `force`.

    `strength` goes from 0 (nothing changes) over 1 (what was found) to 2; `mask` is a picture's
    path or an array (H, W), white where flare may be removed.

    The model is loaded at the first call and kept; `semilar.Remover` has more to set.
    """
    remover = _remover(str(model), engine)
    if not isinstance(picture, str | Path):
        if output is not None:
            raise SettingError("An output file is for a photo given by its path.")
        return remover.remove(picture, strength=strength, mask=mask).image
    target = Path(output) if output else beside(Path(picture))
    restore = with_remover(remover, strength=strength, mask=mask)
    pipe(from_file(picture), restore, ToFiles(scene=target, force=force))
    return type(picture)(target)  # a str for a str


@lru_cache(maxsize=2)
def _remover(model: str, engine: str | None) -> Remover:
    return Remover(model=model, engine=engine)
