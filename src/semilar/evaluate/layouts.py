"""Test sets on the disk: folders of inputs with folders of ground truth beside them.

Known by their folder names: Flare7K++ (`test_data/real` and `test_data/synthetic`, each with
`input`, `gt`, `mask`), FlareX (`input`, `gt`, `mask`), FlareReal600 (`val_input` with `val_gt`,
`val_input_2k_bicubic` with `val_gt_2k_bicubic`), and any pair of folders of that kind.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from semilar.errors import SemilarError
from semilar.evaluate.pairing import Series, pair_folders
from semilar.photo import find_photos, read, to_depth
from semilar.quality import uses_colour_code

_INPUT_WORDS = ("input", "flare", "lq")  # beside `input`, `flare` holds the layers
_TRUTH_WORDS = ("gt", "target", "clear", "clean", "hq")
_DEPTH = 4  # folders below the one that was named


@dataclass(frozen=True)
class TestSet:
    """One test set: where its pictures with flare, its ground truth and its masks are."""

    name: str
    inputs: Path
    truth: Path
    masks: Path | None

    def folders(self) -> dict[str, Path]:
        """The folders by role, as `pair_folders` takes them.

        Masks in the colour code tell regions apart; others (FlareX) are left out where white.
        """
        found = {"untouched": self.inputs, "truth": self.truth}
        if self.masks is None:
            return found
        return found | {"mask" if self.has_regions else "left_out": self.masks}

    @cached_property
    def has_regions(self) -> bool:
        """Whether the masks are in the published colour code (FlareX's are not)."""
        if self.masks is None:
            return False
        masks = (to_depth(read(file).pixels, 8) for file in find_photos(self.masks))
        return all(uses_colour_code(mask.astype(np.uint8, copy=False)) for mask in masks)

    def pictures(self) -> list[Series]:
        """The pictures of the set, paired by name."""
        return pair_folders(self.folders())


def find_sets(folder: Path) -> list[TestSet]:
    """All test sets at or below `folder`."""
    folder = Path(folder)
    if not folder.is_dir():
        raise SemilarError(f"{folder}: there is no such folder.")
    found = [found for place in _folders(folder) if (found := _as_set(place, folder))]
    if not found:
        raise SemilarError(
            f"{folder}: holds no folder of inputs ({', '.join(_INPUT_WORDS)}) with a folder of "
            f"ground truth ({', '.join(_TRUTH_WORDS)}) beside it."
        )
    return sorted(found, key=lambda each: each.name)


def _folders(root: Path) -> Iterator[Path]:
    level = [root]
    for _ in range(_DEPTH):
        level = [
            place
            for parent in level
            for place in sorted(parent.iterdir())
            if place.is_dir() and not place.name.startswith(".")
        ]
        yield from level


def _as_set(inputs: Path, root: Path) -> TestSet | None:
    """`val_input_2k` is the input of a set if `val_gt_2k`, or another such word, is beside it."""
    words = re.split(r"([_-])", inputs.name)
    places = [i for i, word in enumerate(words) if word.lower() in _INPUT_WORDS]
    for place in places:
        earlier = _INPUT_WORDS[: _INPUT_WORDS.index(words[place].lower())]
        if any(_beside(inputs, words, place, word) for word in earlier):
            continue
        truths = [_beside(inputs, words, place, word) for word in _TRUTH_WORDS]
        if truth := next(filter(None, truths), None):
            rest = "_".join(words[:place:2] + words[place + 2 :: 2])
            parts = [*inputs.parent.relative_to(root).parts, *([rest] if rest else [])]
            masks = _beside(inputs, words, place, "mask")
            return TestSet("/".join(parts) or root.resolve().name, inputs, truth, masks)
    return None


def _beside(inputs: Path, words: list[str], place: int, word: str) -> Path | None:
    other = inputs.with_name("".join([*words[:place], word, *words[place + 1 :]]))
    return other if other.is_dir() else None
