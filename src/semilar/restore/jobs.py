"""Which photos become which files: paths, folders and globs to pairs of source and target."""

import glob
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from semilar.errors import PhotoError, SettingError
from semilar.photo import FORMATS, by_suffix, find_photos, known_suffixes
from semilar.restore.naming import beside, inside, is_result, numbered

STREAM = Path("-")
"""In place of a source: standard input; in place of a target: standard output."""


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
        paths = (self.target, self.flare, self.compare)
        return [path for path in paths if path is not None and path != STREAM]


@dataclass(frozen=True)
class JobPlan:
    """What is to do, and an error text for each input that leads nowhere."""

    jobs: list[Job]
    complaints: list[str]


def plan_jobs(
    inputs: Iterable[str],
    output: Path | None = None,
    *,
    flare: Path | None = None,
    compare: Path | None = None,
) -> JobPlan:
    """Pair every photo of `inputs` (files, folders, globs; `-` alone) with the files it becomes.

    Without `output` the result lies beside its original. For one file `output` is a file, unless
    it is or looks like a folder; for everything else it is a folder, in which the structure of
    the input folders is kept. The same holds for `flare` and `compare`. Where two photos would get
    the same name in a folder, the later one is numbered: `street.jpg`, `street-2.jpg`.

    One output file for several photos, or for two kinds of result, is an error.
    """
    inputs = list(inputs)
    complaints: list[str] = []
    sources = _sources(inputs, complaints)
    many = len(sources) > 1 or any(Path(given).is_dir() for given in inputs)
    outputs = output, flare, compare
    for one in outputs:
        _check_room(one, many)
    places = [_Places(one, many) for one in outputs]
    jobs = []
    for source, place in sources.items():
        target, *others = (one.of(source, place) for one in places)
        jobs.append(Job(source, target or _beside(source, places[0]), *others))
    _check_distinct(jobs)
    return JobPlan(jobs, complaints)


class _Places:
    """Gives every photo its own name in or for one output."""

    def __init__(self, output: Path | None, many: bool) -> None:
        self.output = output
        self.taken: set[str] = set()
        self.folder = False
        if output is None or output == STREAM:
            return
        self.folder = many or output.is_dir() or not output.suffix
        if self.folder and output.exists() and not output.is_dir():
            raise SettingError(f"{output}: is not a folder; a file's name needs a suffix as .jpg.")
        if not self.folder and by_suffix(output) is None:
            known = ", ".join(one.suffixes[0] for one in FORMATS.values())
            raise PhotoError(f"{output}: cannot write {output.suffix} files; known are {known}.")

    def of(self, source: Path, place: Path) -> Path | None:
        """The output itself, or a file in it if it is a folder."""
        if self.output is None or not self.folder:
            return self.output
        if source == STREAM:
            raise SettingError(f"{self.output}: is a folder; standard input needs a file's name.")
        return self.own(inside(self.output, place, source))

    def own(self, wanted: Path) -> Path:
        """`wanted`, or the first numbered name that no other photo has."""
        target, number = wanted, 1
        while _key(target) in self.taken:
            number += 1
            target = numbered(wanted, number)
        self.taken.add(_key(target))
        return target


def _beside(source: Path, places: _Places) -> Path:
    return STREAM if source == STREAM else places.own(beside(source))


def _key(path: Path) -> str:
    """The same for two names of one file."""
    return os.path.normcase(os.path.abspath(path))  # noqa: PTH100 (it takes `..` out, too)


def _check_room(output: Path | None, many: bool) -> None:
    """Whether `output` can hold what is to be written."""
    if output is None or not many:
        return
    if output == STREAM:
        raise SettingError("-: standard output takes one photo; several need a folder.")
    named_as_file = output.suffix.lower() in known_suffixes() and not output.is_dir()
    if output.is_file() or named_as_file:
        raise SettingError(f"{output}: names a file; several photos need a folder.")


def _check_distinct(jobs: list[Job]) -> None:
    """No file may be the place of two results, nor a source that of a flare or a comparison."""
    used: set[str] = set()
    for target in (target for job in jobs for target in job.targets):
        if _key(target.resolve()) in used:
            raise SettingError(f"{target}: is to hold two results; give them different names.")
        used.add(_key(target.resolve()))
    sources = {_key(job.source.resolve()) for job in jobs}
    for extra in (extra for job in jobs for extra in (job.flare, job.compare)):
        if extra is not None and _key(extra.resolve()) in sources:
            raise SettingError(f"{extra}: is one of the photos and can't hold another result.")


def _sources(inputs: list[str], complaints: list[str]) -> dict[Path, Path]:
    """Every photo once, and its place below an output folder."""
    if "-" in inputs:
        if len(inputs) > 1:
            raise SettingError("-: standard input goes alone, without other photos.")
        return {STREAM: STREAM}
    sources: dict[Path, Path] = {}
    seen: set[str] = set()
    for given in inputs:
        before = len(complaints)
        found = _expand(given, complaints)
        for photo, place in found.items():
            if _key(photo) not in seen:
                seen.add(_key(photo))
                sources[photo] = place
        if not found and len(complaints) == before:
            complaints.append(f"{given}: there are no photos.")
    return sources


def _expand(given: str, complaints: list[str]) -> dict[Path, Path]:
    path = Path(given)
    if path.is_dir():

        def unreadable(error: PhotoError) -> None:
            complaints.append(str(error))

        found = _originals(find_photos(path, unreadable=unreadable))
        return {photo: photo.relative_to(path) for photo in found}
    if path.exists() or not glob.has_magic(given):
        return {path: Path(path.name)}  # of a missing file the error comes when it is read
    matches = sorted(Path(match) for match in glob.glob(given, recursive=True))  # noqa: PTH207
    return {match: Path(match.name) for match in _originals(matches) if match.is_file()}


def _originals(paths: Iterable[Path]) -> list[Path]:
    """Without results of earlier runs, which lie beside the originals."""
    return [path for path in paths if not is_result(path)]
