"""One line for each request, on standard error."""

import re
import sys
from datetime import datetime

from semilar.serve.guard import Exchange

_MOST_CHARACTERS = 200


def log(exchange: Exchange) -> None:
    """Write the line of one finished request."""
    sys.stderr.write(line(exchange, datetime.now().astimezone()) + "\n")
    sys.stderr.flush()


def line(exchange: Exchange, now: datetime) -> str:
    """Time, client, method, path, status, milliseconds, bytes of the answer.

    The query is left out: it may hold the name of somebody's photo.
    """
    return (
        f"{now.isoformat(timespec='seconds')} {_plain(exchange.client)} {_plain(exchange.method)} "
        f"{_plain(exchange.path)} {exchange.status} {1000 * exchange.seconds:.0f} ms "
        f"{exchange.size} B"
    )


def _plain(text: str) -> str:
    """What strangers send, unable to look like another field or line."""
    return re.sub(r"[^!-~]", "?", text)[:_MOST_CHARACTERS] or "-"
