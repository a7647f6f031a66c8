"""Which photos become which files: paths, folders and globs to pairs of source and target."""

import glob
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from semilar.errors import SemilarError
from semilar.photo import find_photos
from semilar.restore.naming import beside, is_result, writable


@dataclass(frozen=True)
class Job:
    """One photo to restore, where to, and where its flare and a comparison go, if anywhere."""

    source: Path
    target: Path
    flare: Path | None = None
    compare: Path | None = None

    @property
    def targets(self) -> list[Path]:
        """Every file that comes of it."""
        return [path for path in (self.target, self.flare, self.compare) if path is not None]


@dataclass(frozen=True)
class Plan:
    """What is to do, and a sentence for each input that leads nowhere."""

    jobs: list[Job]
    complaints: list[str]


def plan(
    inputs: Iterable[str],
    output: Path | None = None,
    *,
    flare: Path | None = None,
    compare: Path | None = None,
) -> Plan:
    """Pair every photo of `inputs` (files, folders, globs) with the files it becomes.

    Without `output` the result lies beside its original. For one file `output` is a file, unless
    it is or looks like a folder; for everything else it is a folder, in which the structure of
    the input folders is kept. The same holds for `flare` and `compare`.
    """
    complaints: list[str] = []
    sources: dict[Path, Path] = {}  # the photo, and its place below an output folder
    for given in inputs:
        found = _expand(given)
        sources |= found
        if not found:
            complaints.append(f"{given}: there are no photos.")
    several = len(sources) > 1
    jobs: list[Job] = []
    taken: set[Path] = set()
    for source, place in sources.items():
        target = _target(output, source, place, several) or beside(source)
        if target in taken:
            complaints.append(f"{source}: another photo becomes {target} already.")
            continue
        taken.add(target)
        others = (_target(one, source, place, several) for one in (flare, compare))
        jobs.append(Job(source, target, *others))
    return Plan(jobs, complaints)


def _target(output: Path | None, source: Path, place: Path, several: bool) -> Path | None:
    """`output` itself, or a file in it if it has to be a folder."""
    if output is None:
        return None
    if several and output.is_file():
        raise SemilarError(f"{output}: is a file; several photos need a folder.")
    from_folder = place != Path(source.name)
    if several or from_folder or output.is_dir() or not output.suffix:
        return writable(output / place)
    return output


def _expand(given: str) -> dict[Path, Path]:
    path = Path(given)
    if path.is_dir():
        return {photo: photo.relative_to(path) for photo in _originals(find_photos(path))}
    if path.exists() or not glob.has_magic(given):
        return {path: Path(path.name)}  # a missing file gets its sentence when it is read
    matches = sorted(Path(match) for match in glob.glob(given, recursive=True))  # noqa: PTH207
    return {match: Path(match.name) for match in _originals(matches) if match.is_file()}


def _originals(paths: Iterable[Path]) -> list[Path]:
    """Without results of earlier runs, which lie beside the originals."""
    return [path for path in paths if not is_result(path)]
