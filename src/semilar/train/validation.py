"""Validation: held-out simulated pairs and real pairs, against the untouched input."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from semilar import photo
from semilar.data import (
    VALIDATION,
    Bytes,
    Pair,
    SimulatedPairs,
    derived_seed,
    find_pairs,
    with_short_side,
)
from semilar.errors import SemilarError
from semilar.quality import psnr
from semilar.quality.scorers import Scorer, score_beside, scorer
from semilar.train.recipe import (
    Check,
    PairsCheck,
    PhotosCheck,
    Recipe,
    Simulated,
    SimulatedCheck,
)
from semilar.train.sources import find_backgrounds, unlabeled_folder

_CAP = 50.0  # dB from which two pictures count as equal: an exact match would be infinite


@dataclass(frozen=True)
class Case:
    """A named pair of encoded pictures (H, W, 3), and which pixels count (all where it is None)."""

    name: str
    input: Bytes
    target: Bytes
    counts: NDArray[np.bool_] | None = None

    def quality(self, picture: Bytes) -> float:
        """PSNR of an encoded picture against the target, over the pixels that count."""
        if self.counts is None:
            return min(psnr(picture, self.target), _CAP)
        return min(psnr(picture[self.counts], self.target[self.counts]), _CAP)


@dataclass(frozen=True)
class ScoredPhoto:
    """A named encoded picture (H, W, 3) whose truth nobody has, and its scorer."""

    name: str
    input: Bytes
    scorer: Scorer

    @property
    def target(self) -> Bytes:
        """What stands in its place on a sheet."""
        return self.input

    def quality(self, picture: Bytes) -> float:
        """The score of an encoded picture that was made from the photo."""
        here = torch.device("cpu")
        batch, photo = _to_batch(picture, here), _to_batch(self.input, here)
        return float(score_beside(self.scorer, batch, photo)[0])


@dataclass(frozen=True)
class SetReport:
    """What a network did to one set: means in dB (or scores), and the pictures it harmed most."""

    psnr: float
    input_psnr: float
    gain: float
    worse: int
    count: int
    worst: list[tuple[str, float]]

    def line(self, name: str) -> str:
        """One line for a person."""
        worst = ", ".join(f"{case} {gain:+.2f}" for case, gain in self.worst)
        return (
            f"{name}: {self.psnr:.2f} dB, {self.gain:+.2f} against the input;"
            f" worse {self.worse} of {self.count}; worst {worst}"
        )


def load_cases(recipe: Recipe) -> dict[str, list[Case] | list[ScoredPhoto]]:
    """The pictures of all validation sets, decoded once; mixtures become one set per preset."""
    return {
        label: cases
        for name, check in recipe.validation.sets.items()
        for label, cases in zip(check.labels(name), _cases(check, recipe), strict=True)
    }


def _cases(check: Check, recipe: Recipe) -> list[list[Case]] | list[list[ScoredPhoto]]:
    if isinstance(check, PhotosCheck):
        return [_photos(check, recipe)]
    return [_pairs(check)] if isinstance(check, PairsCheck) else _simulated(check, recipe)


def _photos(check: PhotosCheck, recipe: Recipe) -> list[ScoredPhoto]:
    if check.photos is not None:
        paths = check.photos.find()
    elif recipe.semi is not None:
        paths = unlabeled_folder(recipe, recipe.semi).find(held_out=True)
    else:
        raise SemilarError("validation: a set of photos needs a folder, or semi.photos.")
    chosen = scorer(check.scorer)
    pictures = (photo.to_depth(photo.read(path).pixels, 8) for path in paths[: check.limit])
    shrunk = (
        with_short_side(one, check.side) if min(one.shape[:2]) > check.side else one
        for one in pictures
    )
    return [ScoredPhoto(path.stem, one, chosen) for path, one in zip(paths, shrunk, strict=False)]


def _pairs(check: PairsCheck) -> list[Case]:
    return [_pair_case(pair, check) for pair in _chosen_pairs(check)]


def _chosen_pairs(check: PairsCheck) -> list[Pair]:
    pairs = find_pairs(check.folder).pairs
    if check.names is not None:
        if not check.names.is_file():
            raise SemilarError(f"{check.names}: no such file (a list of names).")
        listed = check.names.read_text(encoding="utf-8").split()
        missing = sorted(set(listed) - {pair.name for pair in pairs})
        if missing:
            raise SemilarError(
                f"{check.folder}: has no pair {missing[0]}, which {check.names} lists."
            )
        pairs = [pair for pair in pairs if pair.name in listed]
    return pairs[: check.limit]


def _pair_case(pair: Pair, check: PairsCheck) -> Case:
    flared, clean = (
        photo.to_depth(photo.read(path).pixels, 8) for path in (pair.input, pair.target)
    )
    if flared.shape != clean.shape:
        raise SemilarError(f"{pair.input}: differs in size from its partner {pair.target}.")
    mask = None
    if check.outside_mask:
        if pair.mask is None:
            raise SemilarError(f"{pair.input}: has no mask, which outside_mask asks for.")
        mask = photo.to_depth(photo.read(pair.mask).pixels, 8)
        if mask.shape != flared.shape:
            raise SemilarError(f"{pair.mask}: differs in size from {pair.input}.")
    if check.side and min(flared.shape[:2]) > check.side:
        flared, clean = with_short_side(flared, check.side), with_short_side(clean, check.side)
        mask = None if mask is None else with_short_side(mask, check.side)
    return Case(pair.name, flared, clean, None if mask is None else mask.max(axis=2) == 0)


def _simulated(check: SimulatedCheck, recipe: Recipe) -> list[list[Case]]:
    if check.backgrounds is not None:
        backgrounds, _ = find_backgrounds(check.backgrounds, side=check.side)
    elif isinstance(recipe.labeled, Simulated):
        backgrounds, _ = find_backgrounds(
            recipe.labeled.backgrounds, side=check.side, held_out=True
        )
    else:
        raise SemilarError("validation: a simulated set needs backgrounds.")
    source = SimulatedPairs(backgrounds, samples=check.count)
    populations = []
    for synth in check.synth:
        cases = []
        for i in range(check.count):
            seed = derived_seed(check.seed, VALIDATION, i)
            made = source.make(i, seed=seed, crop=check.size, settings=synth.settings)
            cases.append(Case(f"{i:03d}", _levels(made.input), _levels(made.target)))
        populations.append(cases)
    return populations


def restore(net: nn.Module, pixels: Bytes, device: torch.device) -> Bytes:
    """The scene that a network sees in an encoded picture."""
    return _to_pixels(net(_to_batch(pixels, device))[0])


@torch.no_grad()
def measure(
    net: nn.Module,
    cases: Sequence[Case | ScoredPhoto],
    *,
    device: torch.device,
    worse_by: float,
    advance: Callable[[], None] = lambda: None,
) -> SetReport:
    """How the network does on a set."""
    figures = []
    for case in cases:
        before = case.quality(case.input)
        after = case.quality(restore(net, case.input, device))
        figures.append((case.name, after, before, after - before))
        advance()
    gains = np.array([gain for *_, gain in figures])
    order = np.argsort(gains)[:3]
    return SetReport(
        psnr=float(np.mean([after for _, after, _, _ in figures])),
        input_psnr=float(np.mean([before for _, _, before, _ in figures])),
        gain=float(gains.mean()),
        worse=int((gains < -worse_by).sum()),
        count=len(cases),
        worst=[(figures[i][0], float(gains[i])) for i in order],
    )


@torch.no_grad()
def sample_sheet(
    net: nn.Module,
    cases: Mapping[str, Sequence[Case | ScoredPhoto]],
    *,
    device: torch.device,
    rows: int = 3,
) -> Bytes:
    """Input, restored, flare and truth side by side, `rows` pictures of each set."""
    strips = []
    for chosen in cases.values():
        for case in chosen[:: max(1, len(chosen) // rows)][:rows]:
            scene, flare = (_to_pixels(x) for x in net(_to_batch(case.input, device)))
            strip = np.concatenate([case.input, scene, flare, case.target], axis=1)
            strips.append(strip)
    width = min(strip.shape[1] for strip in strips)
    return np.concatenate([_at_width(strip, width) for strip in strips], axis=0)


def _at_width(strip: Bytes, width: int) -> Bytes:
    from semilar.data import resize

    return resize(strip, round(strip.shape[0] * width / strip.shape[1]), width)


def _to_batch(pixels: Bytes, device: torch.device) -> Tensor:
    return torch.tensor(pixels, device=device).permute(2, 0, 1)[None].float() / 255


def _to_pixels(batch: Tensor) -> Bytes:
    return _levels(batch[0].clamp(0, 1).permute(1, 2, 0).float().cpu().numpy())


def _levels(picture: np.ndarray[Any, Any]) -> Bytes:
    return np.rint(np.clip(picture, 0, 1) * 255).astype(np.uint8)
