"""The public layouts that can be imported: how to know one, and how its keys map to ours.

Names and shapes are facts about the published files; each layout is a table of substitutions that
turns a published key into the key of a network of `semilar.net.published`, and a function that
reads the network's size off the shapes.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Shapes = Mapping[str, tuple[int, ...]]
KeyTable = tuple[tuple[str, str], ...]  # regular expression and replacement, applied in this order

_BODY = "module.body."


@dataclass(frozen=True, kw_only=True)
class Layout:
    """One public layout.

    `marks` are keys that only checkpoints of this kind have. A replacement may end in `#0`, `#1`:
    such tensors are joined in that order; or name several keys with `|` between: the tensor is
    split among them. `unused` are keys without a meaning for the result.
    """

    name: str
    title: str
    origin: str
    network: str
    marks: tuple[str, ...]
    options: Callable[[Shapes], dict[str, Any]]
    table: KeyTable
    unused: str = r"$^"
    light_source: str = ""  # how its authors keep lamps, see `semilar.restore.light_source`

    outputs: tuple[int, ...] = (3,)  # how many planes it may end in

    def places(self, key: str) -> list[tuple[str, int]]:
        """Where the published `key` goes in our network: keys, and which part of them it is.

        Several of them share the tensor; none at all means that it is not needed.
        """
        if re.search(self.unused, key):
            return []
        for pattern, replacement in self.table:
            key = re.sub(pattern, replacement, key)
        found = (place.partition("#") for place in key.split("|"))
        return [(_BODY + ours, int(part or 0)) for ours, _, part in found]


def count(shapes: Shapes, pattern: str) -> int:
    """How many numbers stand at the group of `pattern`: the length of a list of layers."""
    found = (re.match(pattern, key) for key in shapes)
    return len({match.group(1) for match in found if match})
