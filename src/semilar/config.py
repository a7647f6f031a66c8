"""What the parts of a recipe have in common: the base class and the types of numbers.

A class that does something and is set up by a recipe (an augmentation, a rule, a loss) is a `Part`
itself: its fields are the recipe's keys, and its defaults stand in one place.
"""

from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

Positive = Annotated[int, Field(gt=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Weight = Annotated[float, Field(ge=0)]
Above0 = Annotated[float, Field(gt=0)]
# A shell leaves `key=~/Pictures` as it is.
Folder = Annotated[Path, AfterValidator(Path.expanduser)]


class Part(BaseModel):
    """Base of all parts of a recipe: unknown keys are errors, values stay as they were checked.

    >>> class Blur(Part):
    ...     probability: Share = 0.5
    >>> Blur(probability=0.2)
    Blur(probability=0.2)
    >>> Blur.model_validate({"probability": 2})
    Traceback (most recent call last):
    pydantic_core._pydantic_core.ValidationError: 1 validation error for Blur
    ...
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
