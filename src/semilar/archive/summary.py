"""The page at the end of a run: counts, times, failures, and some photos before and after."""

from html import escape
from typing import Any

import duckdb

from semilar import __version__
from semilar import photo as photos
from semilar.archive.ledger import Ledger
from semilar.archive.progress import Progress
from semilar.archive.storage import Place, StorageOptions, place

_SIDE = 480  # pixels of the longer side of a sample
_STAGES = ("read", "decode", "restore", "encode", "write")
_COUNTS = (
    "SELECT status, coalesce(found, '') AS found, count(*) FROM ledger GROUP BY ALL ORDER BY 1, 2"
)
_MEANS = ", ".join(f"avg({stage}_seconds)" for stage in _STAGES)
_TIMES = f"SELECT {_MEANS} FROM ledger WHERE status <> 'failed'"
_FAILED = "SELECT source, error FROM ledger WHERE status = 'failed' ORDER BY source LIMIT 20"
# The strongest, and some from everywhere: the checksum is as good as a draw.
_SAMPLES = """
(SELECT source, target, found, light FROM ledger
 WHERE status = 'restored' AND member IS NULL ORDER BY light DESC LIMIT 4)
UNION ALL
(SELECT source, target, found, light FROM ledger
 WHERE status <> 'failed' AND member IS NULL ORDER BY checksum LIMIT 4)
"""
_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem}
:root{color-scheme:light dark}table{border-collapse:collapse}
td,th{padding:.2rem .8rem;text-align:left;border-bottom:1px solid #8886}
figure{margin:1rem 0}figure img{width:49%;height:auto}figcaption{overflow-wrap:anywhere}
"""


def write_page(
    page: Place, ledger: Ledger, progress: Progress, options: StorageOptions | None = None
) -> None:
    """Write the page about all that the manifest holds, and how fast this run was."""
    with duckdb.connect() as base:
        base.register("ledger", ledger.dataset())
        counts = base.sql(_COUNTS).fetchall()
        times = base.sql(_TIMES).fetchall()[0]
        failed = base.sql(_FAILED).fetchall()
        samples = {row[0]: row for row in base.sql(_SAMPLES).fetchall()}
    figures = "".join(_figure(*row, options=options) for row in samples.values())
    stages = [(name, f"{value:.3f}") for name, value in zip(_STAGES, times, strict=True) if value]
    body = (
        f"<h1>Flare removed in bulk</h1><p>This run: {escape(progress.line())}, "
        f"{progress.seconds:.0f} s. Manifest: {escape(ledger.where.url)}.</p>"
        f"<h2>All photos</h2>{_table(('status', 'flare found', 'photos'), counts)}"
        f"<h2>Seconds per photo</h2>{_table(('stage', 'mean'), stages)}"
        + (f"<h2>Failed</h2>{_table(('photo', 'why'), failed)}" if failed else "")
        + (f"<h2>Before and after</h2>{figures}" if figures else "")
    )
    page.write(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>semilar bulk</title>'
        f"<style>{_STYLE}</style>{body}<p>semilar {__version__}</p></html>".encode()
    )


def _table(head: tuple[str, ...], rows: list[Any]) -> str:
    first = "".join(f"<th>{escape(one)}</th>" for one in head)
    rest = "".join(
        f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows
    )
    return f"<table><tr>{first}</tr>{rest}</table>"


def _figure(
    source: str, target: str, found: str, light: float, *, options: StorageOptions | None
) -> str:
    try:
        before, after = (_jpeg(place(one, options), one) for one in (source, target))
    except Exception:  # a sample that has gone in the meantime is no reason to fail
        return ""
    name = escape(source)
    return (
        f'<figure><img alt="{name} before" src="{before}"> <img alt="{name} after" src="{after}">'
        f"<figcaption>{name}: {escape(found)}, {light:.2%} of full light</figcaption></figure>"
    )


def _jpeg(where: Place, name: str) -> str:
    """A small *encoded* copy of a photo as a data address."""
    pixels = photos.to_depth(photos.read(where.read(), name=name).pixels, 8)
    return photos.data_address(pixels, side=_SIDE)
