"""The session: a loaded network that takes the flare out of one picture after another."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import IO, Any, Generic, NamedTuple, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from semilar.errors import ModelError, SettingError
from semilar.photo import Floats, Photo, Pixels, srgb_to_linear
from semilar.restore.curves import encoded
from semilar.restore.engines import Engine, cores, open_engine
from semilar.restore.found import Found, how_much
from semilar.restore.fullsize import removed_light, shrink, subtract
from semilar.restore.layer import Layer, estimate
from semilar.restore.light_source import keep_light_source
from semilar.restore.masks import fit_mask
from semilar.restore.models import DEFAULT_MODEL, find_model
from semilar.restore.pictures import Canvas, canvas
from semilar.restore.views import ORIENTATIONS, agreed, seen_in_views
from semilar.restore.working import MOST_PIXELS, working_size
from semilar.threads import give_back_freed_memory
from semilar.weights import SMALLEST, ModelCard

T = TypeVar("T")

# On a processor so many pixels go through a network at once, and one picture at least: more of them
# take more memory and no less time.
_CPU_PIXELS = 2**19
_GPU_PICTURES = len(ORIENTATIONS)  # on other devices: the views of one, or one view of so many
_LARGE = 3 * 2**22  # values of a picture beside which what the network took is not to be held
STRONGEST = 2  # twice what was found; beyond that only black holes come


@dataclass(frozen=True)
class Result(Generic[T]):
    """What `Remover.remove` found.

    `image` is the restored picture, of the kind that was given (a path gives a `Photo`). `found`
    is "none" (which is false: `image` then equals what was given, bit for bit), "weak" or "strong".
    `light` is the number behind it: the mean of the flare's *linear* light over the picture, 1
    being white all over.
    `working_size` is the (height, width) at which the network saw it.
    """

    image: T
    found: Found
    light: float
    working_size: tuple[int, int]
    before: Pixels = field(repr=False)
    after: Pixels = field(repr=False)
    _back: Callable[[Pixels], Any] = field(repr=False)

    @cached_property
    def flare(self) -> T:
        """The light that was taken away, on black: a picture of the same kind, encoded light."""
        return self._back(removed_light(self.before, self.after))


class Scene(NamedTuple):
    """What the network leaves of a picture, (h, w, 3) each, in the light that its card names."""

    mean: Floats
    """Of all views."""
    agreed: Floats
    """`semilar.restore.views.agreed`."""


class Remover:
    """Takes the flare out of pictures; made once, used often, from several threads if you like.

    `model` is the name of a model (`semilar models` lists them) or the path of an .onnx or
    .safetensors file. `engine` is "onnx", "torch", "openvino", or any object with the method `run`
    of `semilar.restore.engines.Engine`; left out, the model's own. `device` is for the engine
    ("cpu", "cuda"). `threads` is how many cores one picture may use, all if left out.
    `working_size` is the short side at which the network sees a picture: more sees finer flare and
    takes longer. `views` is in how many orientations, 1 to 8, the network sees it
    (`semilar.restore.views`); each takes as long again. Both are the model's own if left
    out.

    >>> remover = Remover()  # doctest: +SKIP
    >>> str(remover.remove("street.jpg").found)  # doctest: +SKIP
    'strong'
    """

    def __init__(
        self,
        *,
        model: str | Path = DEFAULT_MODEL,
        engine: str | Engine | None = None,
        device: str | None = None,
        threads: int | None = None,
        working_size: int | None = None,
        views: int | None = None,
    ) -> None:
        if threads is not None and threads < 1:
            raise SettingError(f"{threads} threads cannot do the work; give 1 or more.")
        self.threads = threads or cores()
        self.card = ModelCard()
        if engine is None or isinstance(engine, str):
            files = find_model(model)
            self.card = files.card
            engine = open_engine(files, engine=engine, device=device, threads=self.threads)
        self.engine: Engine = engine
        self._on_cpu = device in (None, "cpu")
        self.working_size = self.card.working_size if working_size is None else working_size
        if self.working_size < SMALLEST:
            raise SettingError(f"A working size of {self.working_size} is below {SMALLEST} pixels.")
        self.views = self.card.views if views is None else views
        if not 1 <= self.views <= len(ORIENTATIONS):
            raise SettingError(f"{self.views} views are not between 1 and {len(ORIENTATIONS)}.")

    @overload
    def remove(
        self, picture: str | Path, *, strength: float = 1.0, mask: Any = None
    ) -> Result[Photo]: ...
    @overload
    def remove(
        self, picture: IO[bytes], *, strength: float = 1.0, mask: Any = None
    ) -> Result[BytesIO]: ...
    @overload
    def remove(self, picture: T, *, strength: float = 1.0, mask: Any = None) -> Result[T]: ...
    def remove(self, picture: Any, *, strength: float = 1.0, mask: Any = None) -> Result[Any]:
        """Take the flare out of `picture`: a path, the bytes of a file, a file object open for
        reading bytes (which gives a `BytesIO`), a `Photo`, a Pillow image, or an array
        (H, W[, 1, 3 or 4]) of uint8, uint16 or float in [0, 1], *encoded* light.

        `strength` goes from 0 (nothing changes) over 1 (what was found) to 2 (twice that; black is
        the end). `mask` limits the effect to a region: see `semilar.restore.masks`.
        """
        check_strength(strength)
        given = canvas(picture)
        layer = self.find(given.pixels, grey=given.grey)
        return self._result(given, layer, strength, mask)

    def remove_together(self, pictures: Sequence[T], *, strength: float = 1.0) -> list[Result[T]]:
        """`remove` for pictures that go through the network together: for graphics cards.

        Those of one working size form a batch; the results come in the order of `pictures`.
        """
        check_strength(strength)
        given = [canvas(picture) for picture in pictures]
        sizes = [self._size(one.pixels) for one in given]
        layers: dict[int, Layer] = {}
        for size in dict.fromkeys(sizes):
            same = [i for i, one in enumerate(sizes) if one == size]
            layers |= zip(same, self._layers([given[i] for i in same]), strict=True)
        return [self._result(one, layers[i], strength, None) for i, one in enumerate(given)]

    def _result(self, given: Canvas, layer: Layer, strength: float, mask: Any) -> Result[Any]:
        pixels = given.pixels
        region = None if mask is None else fit_mask(mask, (pixels.shape[0], pixels.shape[1]))
        after = pixels
        if layer.found and strength > 0:
            after = subtract(pixels, layer, strength=strength, mask=region, threads=self.threads)
        return Result(
            image=given.back(after),
            found=_word(layer),
            light=layer.light,
            working_size=layer.size,
            before=pixels,
            after=after,
            _back=given.back,
        )

    def find(self, pixels: Pixels, *, grey: bool = False) -> Layer:
        """The layer that the network finds in *encoded* `pixels` (H, W, 3)."""
        return self._layers([Canvas(pixels, grey, lambda same: same)])[0]

    def _size(self, pixels: Pixels) -> tuple[int, int]:
        """The (height, width) at which the network sees *encoded* `pixels` (H, W, 3)."""
        return working_size(
            (pixels.shape[0], pixels.shape[1]),
            side=self.working_size,
            most_pixels=max(MOST_PIXELS, 2 * self.working_size**2),
        )

    def _layers(self, given: Sequence[Canvas]) -> list[Layer]:
        """The layers of pictures of one working size, which go through the network together."""
        size = self._size(given[0].pixels)
        small = [shrink(one.pixels, size, threads=self.threads) for one in given]
        if self.card.domain == "linear":
            scenes = self._scenes([one.mean for one in small])
        else:
            found = self._scenes([encoded(one.mean.copy()) for one in small])
            scenes = [Scene(*(srgb_to_linear(one) for one in scene)) for scene in found]
        whole = zip(small, scenes, given, strict=True)
        layers = [
            estimate(one, scene.mean, agreed=scene.agreed, grey=its.grey)
            for one, scene, its in whole
        ]
        if max(one.pixels.size for one in given) > _LARGE:
            give_back_freed_memory()
        return layers

    def raw(self, pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """What the network itself makes of *encoded* 8-bit `pixels` (H, W, 3), encoded 8-bit.

        The network sees the picture as it is, at its own size: nothing is shrunk, decided or
        carried over. So papers measure networks; lamps come back where the card asks for it.
        """
        picture: NDArray[np.float32] = pixels.astype(np.float32) / np.float32(255)
        if self.card.domain == "linear":
            scene = encoded(self._scenes([srgb_to_linear(picture)])[0].mean)
        else:
            scene = self._scenes([picture])[0].mean
        return np.rint(np.clip(scene, 0, 1) * 255).astype(np.uint8)

    def _scenes(self, pictures: list[Floats]) -> list[Scene]:
        """The network's scenes in `pictures` (h, w, 3), all in the light that the card names.

        Tiny pictures are padded for it.
        """
        height, width = pictures[0].shape[:2]
        room = [(0, max(0, SMALLEST - side)) for side in (height, width)]
        padded = [np.pad(one, [*room, (0, 0)], mode="edge").transpose(2, 0, 1) for one in pictures]
        image = np.stack(padded)
        most = _CPU_PIXELS // (image[0, 0].size) if self._on_cpu else _GPU_PICTURES
        at_once = max(1, most // len(pictures))
        views = seen_in_views(self._run, image, self.views, at_once=at_once)
        mean, sure = (
            np.clip(scenes.transpose(0, 2, 3, 1)[:, :height, :width], 0, 1)
            for scenes in (views.mean(axis=0), agreed(image, views))
        )
        rule = self.card.light_source
        if rule:
            mean, sure = (
                [keep_light_source(*both, rule) for both in zip(pictures, scenes, strict=True)]
                for scenes in (mean, sure)
            )
        return [Scene(*both) for both in zip(mean, sure, strict=True)]

    def _run(self, image: NDArray[np.float32]) -> NDArray[np.float32]:
        """The network's scenes for the pictures `image` (B, 3, H, W)."""
        scene, _ = self.engine.run(np.ascontiguousarray(image))
        if scene.shape != image.shape or not np.isfinite(scene).all():
            raise ModelError("The network gave no picture of the size it was given.")
        return scene


def check_strength(strength: float) -> None:
    """Refuse a strength that `Remover.remove` does not take."""
    if not 0 <= strength <= STRONGEST:
        raise SettingError(f"A strength of {strength:g} is not between 0 and {STRONGEST}.")


def _word(layer: Layer) -> Found:
    """A layer that takes light in some places and gives some in others is at least weak."""
    return (how_much(layer.light) or Found.WEAK) if layer.found else Found.NONE
