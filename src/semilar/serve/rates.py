"""How often one client may ask: a bucket of tokens per address."""

import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable

_MOST_CLIENTS = 10_000  # those not seen for longest are forgotten


class Rate:
    """`per_minute` requests for each client, half of them at once if none came before."""

    def __init__(self, per_minute: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.per_second = per_minute / 60
        self.burst = max(1.0, per_minute / 2)
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, client: str) -> int:
        """0 if `client` may go on, else the whole seconds it has to wait."""
        if self.per_second == 0:
            return 0
        now, key = self._clock(), _household(client)
        tokens, seen = self._buckets.pop(key, (self.burst, now))
        tokens = min(self.burst, tokens + (now - seen) * self.per_second)
        allowed = tokens >= 1
        self._buckets[key] = (tokens - 1 if allowed else tokens, now)
        if len(self._buckets) > _MOST_CLIENTS:
            self._buckets.popitem(last=False)
        return 0 if allowed else math.ceil((1 - tokens) / self.per_second)


def _household(client: str) -> str:
    """An IPv6 client has a whole /64 to choose addresses from.

    >>> _household("2001:db8::1:2"), _household("192.0.2.7")
    ('2001:db8::', '192.0.2.7')
    """
    try:
        address = ipaddress.ip_address(client)
    except ValueError:
        return client
    if address.version == 4:
        return client
    return str(ipaddress.ip_network((int(address) >> 64 << 64, 64)).network_address)
