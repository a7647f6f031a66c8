"""What other packages add: networks, scorers, engines and metrics, found by their entry points.

A package names them in its own `pyproject.toml`, and they are used by name like those here.
Networks, scorers and engines are also found as `package.module:Name`.

    [project.entry-points."semilar.networks"]
    mynet = "mypackage.net:INFO"        # a semilar.net.NetInfo
    [project.entry-points."semilar.scorers"]
    myscore = "mypackage.score:Score"   # called without arguments, gives a Scorer
    [project.entry-points."semilar.engines"]
    myengine = "mypackage.engine:open"  # called with model, device and threads, gives an Engine
    [project.entry-points."semilar.metrics"]
    mymetric = "mypackage.metric:METRIC"  # a semilar.evaluate.Metric whose key is mymetric
"""

from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal, TypeVar

from semilar.errors import SemilarError

T = TypeVar("T")
Kind = Literal["networks", "scorers", "engines", "metrics"]


def names(kind: Kind, own: Mapping[str, Any]) -> list[str]:
    """The names of all that there are: the package's `own`, then those of others."""
    others = (one.name for one in entry_points(group=f"semilar.{kind}"))
    return [*own, *(name for name in others if name not in own)]


def find(kind: Kind, name: str, own: Mapping[str, T]) -> T | None:
    """What is called `name`; the package's `own` come first. None where there is no such thing.

    `package.module:Name` is anybody's own, without an entry point.
    """
    if name in own:
        return own[name]
    group = f"semilar.{kind}"
    named = [EntryPoint(name, name, group)] if ":" in name else entry_points(group=group, name=name)
    for point in named:
        try:
            return point.load()
        except Exception as error:  # another package's code can raise anything
            raise SemilarError(
                f"{name}: {point.value} of another package cannot be loaded ({error})."
            ) from error
    return None
