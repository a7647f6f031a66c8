"""What a set of simulated samples is made of, and its manifest: the same plan, the same bytes."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semilar import __version__, photo
from semilar.errors import SemilarError
from semilar.flare.backgrounds import builtin_backgrounds
from semilar.flare.mapping import from_mapping, to_mapping
from semilar.flare.sample import Bytes
from semilar.flare.scene import night_scene
from semilar.flare.settings import SynthSettings

BUILTIN = "builtin"
SCENES = 6
SEEDS_PER_SET = 1_000_000


@dataclass(frozen=True, kw_only=True)
class SynthPlan:
    """All that decides the bytes of a set, but for the pixels of backgrounds and patterns."""

    count: int
    size: int
    seed: int
    settings: SynthSettings
    backgrounds: tuple[Path, ...] = ()
    """Photographs; none means the built-in pictures."""
    patterns: Path | None = None

    def sample_seed(self, number: int) -> int:
        """Seed of one sample; sets with different seeds share none."""
        return self.seed * SEEDS_PER_SET + number

    def background_of(self, number: int) -> str:
        """Which background a sample uses: a file, or the number of a built-in picture."""
        if not self.backgrounds:
            return f"{BUILTIN} {number % len(builtin_of_size(self.size))}"
        return str(self.backgrounds[number % len(self.backgrounds)])

    def read_background(self, number: int) -> Bytes:
        """Its pixels, *encoded* uint8, not smaller than the crop."""
        if not self.backgrounds:
            pictures = builtin_of_size(self.size)
            return pictures[number % len(pictures)]
        path = self.backgrounds[number % len(self.backgrounds)]
        pixels = photo.to_depth(photo.read(path).pixels, 8)
        if min(pixels.shape[:2]) < self.size:
            raise SemilarError(
                f"{path}: {pixels.shape[1]} x {pixels.shape[0]} pixels, smaller than the crop of "
                f"{self.size} x {self.size}."
            )
        return pixels


def builtin_of_size(size: int) -> tuple[Bytes, ...]:
    """The built-in pictures that are large enough; for large crops, night scenes of that size."""
    fitting = tuple(p for p in builtin_backgrounds() if min(p.shape[:2]) >= size)
    return fitting or tuple(night_scene(seed, (size, size)) for seed in range(SCENES))


def manifest(plan: SynthPlan) -> dict[str, Any]:
    """The plan as JSON, with the checksum of every background."""
    return {
        "semilar": __version__,
        "seed": plan.seed,
        "count": plan.count,
        "size": plan.size,
        "settings": to_mapping(plan.settings),
        "backgrounds": {str(path): _checksum(path) for path in plan.backgrounds} or BUILTIN,
        "patterns": str(plan.patterns) if plan.patterns else None,
    }


def read_manifest(path: Path) -> SynthPlan:
    """The plan behind a manifest; backgrounds that are gone or changed are an error."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        checksums = {} if found["backgrounds"] == BUILTIN else dict(found["backgrounds"])
        plan = SynthPlan(
            count=int(found["count"]),
            size=int(found["size"]),
            seed=int(found["seed"]),
            settings=from_mapping(found["settings"], f"{path}: settings"),
            backgrounds=tuple(map(Path, checksums)),
            patterns=Path(found["patterns"]) if found["patterns"] else None,
        )
    except OSError as error:
        raise SemilarError(f"{path}: cannot be read ({error.strerror}).") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise SemilarError(f"{path}: not a manifest written by semilar synth.") from None
    for file in plan.backgrounds:
        if not file.is_file() or _checksum(file) != checksums[str(file)]:
            raise SemilarError(f"{file}: is gone or has changed since {path.name} was written.")
    return plan


def same_bytes(old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Whether the samples of an old manifest are the first ones of a new one.

    A manifest lists only backgrounds that it uses, so a longer set may list more of them.
    """
    rest = ("semilar", "seed", "size", "settings", "patterns")
    if any(old.get(key) != new.get(key) for key in rest):
        return False
    before, now = old.get("backgrounds"), new["backgrounds"]
    if isinstance(before, dict) and isinstance(now, dict) and len(before) == old.get("count"):
        now = dict(list(now.items())[: len(before)])
    return before == now


def _checksum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
