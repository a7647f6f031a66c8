"""What numbers of the settings may be, as notes on their types.

Nothing here imports pydantic, which the base install does without. Where it is there and checks a
recipe, it finds these notes and calls `__get_pydantic_core_schema__`.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any


@dataclass(frozen=True)
class Between:
    """A number of at least `low` and at most `high`."""

    low: float
    high: float = math.inf

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        wanted = f"a number from {self.low:g} to {self.high:g}"
        if self.high == math.inf:
            wanted = f"a number of at least {self.low:g}"
        return _checked(source, handler, wanted, lambda value: self.low <= value <= self.high)


@dataclass(frozen=True)
class Rising:
    """A range (low, high) whose ends are in order, and above `above` or at least `low`."""

    low: float = -math.inf
    above: float = -math.inf

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        whole = "whole " if source == tuple[int, int] else ""
        wanted = f"two {whole}numbers, [low, high]"
        if self.above > -math.inf:
            wanted += f", above {self.above:g}"
        elif self.low > -math.inf:
            wanted += f", of at least {self.low:g}"
        return _checked(source, handler, wanted, self._holds)

    def _holds(self, ends: tuple[float, float]) -> bool:
        low, high = ends
        return self.low <= low <= high < math.inf and low > self.above


Share = Annotated[float, Between(0, 1)]
Amount = Annotated[float, Between(0)]
Range = Annotated[tuple[float, float], Rising()]
LogRange = Annotated[tuple[float, float], Rising(above=0)]
"""A range that is drawn log-uniformly."""
Counts = Annotated[tuple[int, int], Rising(0)]


class Settings:
    """Base of all settings; pydantic reads from it that unknown names are errors."""

    __pydantic_config__ = {"extra": "forbid"}  # noqa: RUF012


def _checked(
    source: Any, handler: Callable[[Any], Any], wanted: str, holds: Callable[[Any], bool]
) -> Any:
    """pydantic's schema of a type, with one text for whatever is wrong with a value."""
    from pydantic_core import PydanticCustomError, ValidationError, core_schema

    def check(value: Any, inner: Callable[[Any], Any]) -> Any:
        try:
            found = inner(value)
        except ValidationError:
            found = None
        if found is None or isinstance(value, bool) or not holds(found):
            raise PydanticCustomError("limits", "should be {wanted}", {"wanted": wanted})
        return found

    return core_schema.no_info_wrap_validator_function(check, handler(source))
