"""Photos by the million: storage by fsspec, a ledger in Parquet, the work by processes or Ray.

What the room gives is loaded when it is first asked for: a worker, which enters by the same door,
would hold 100 MB of DuckDB and Arrow that it never uses.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from semilar.archive.progress import Progress
    from semilar.archive.run import Report, bulk

__all__ = ["Progress", "Report", "bulk"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from semilar.archive import run

        return getattr(run, name)
    raise AttributeError(f"module 'semilar.archive' has no attribute {name!r}")
