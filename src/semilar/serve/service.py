"""What the routes share: the model, places and threads, counts, and who may come in."""

import asyncio
import functools
import hmac
import time
from collections.abc import Coroutine
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, TypeVar

from fastapi import Request

from semilar.serve.body import ClientGoneError, Upload
from semilar.serve.metrics import Metrics
from semilar.serve.places import Places, TooLongError
from semilar.serve.problems import RefusedError, busy
from semilar.serve.rates import Rate
from semilar.serve.restoring import AbandonedError, Answer, ClientOptions, Restore, restore_file
from semilar.serve.settings import ServiceSettings

T = TypeVar("T")


@dataclass(kw_only=True)
class Service:
    """One process's share of the service."""

    settings: ServiceSettings
    restore: Restore
    model: dict[str, Any]
    places: Places
    rate: Rate
    metrics: Metrics
    ready: bool = False

    @classmethod
    def build(cls, settings: ServiceSettings, restore: Restore, model: dict[str, Any]) -> "Service":
        """A service that has not begun yet."""
        limits = settings.limits
        metrics = Metrics()
        return cls(
            settings=settings,
            restore=restore,
            model=model,
            places=Places(workers=limits.workers, queue=limits.queue, changed=metrics.busy),
            rate=Rate(limits.rate),
            metrics=metrics,
        )

    async def check_token(self, request: Request) -> None:
        """Refuse whoever does not bring the token, if there is one."""
        if self.settings.token is None:
            return
        kind, _, given = request.headers.get("authorization", "").partition(" ")
        same = hmac.compare_digest(given.strip().encode("latin-1"), self.settings.token.encode())
        if kind.lower() != "bearer" or not same:
            raise RefusedError(
                HTTPStatus.UNAUTHORIZED,
                "This service wants a token: Authorization: Bearer TOKEN.",
                {"WWW-Authenticate": "Bearer"},
            )

    async def check_rate(self, request: Request) -> None:
        """Refuse a client that asks too often."""
        client = request.client.host if request.client else ""
        seconds = self.rate.wait(client)
        if seconds:
            limit = self.settings.limits.rate
            message = f"More than {limit:g} photos a minute; try again in {seconds} s."
            raise busy(seconds, message, HTTPStatus.TOO_MANY_REQUESTS)

    async def run(self, request: Request, upload: Upload, options: ClientOptions) -> Answer:
        """Restore one photo in a thread, unless the client goes away before."""
        limits = self.settings.limits
        arrived = time.perf_counter()
        steps = functools.partial(restore_file, upload, options, limits, self.restore)
        try:
            job = self.places.run(steps, seconds=limits.job_seconds)
            answer = await _unless_gone(request, job)
        except TooLongError:
            message = f"The photo took longer than the limit of {limits.job_seconds:g} s."
            raise RefusedError(HTTPStatus.GATEWAY_TIMEOUT, message) from None
        except AbandonedError:
            raise ClientGoneError from None
        worked = sum(answer.seconds.values())
        answer.seconds["queue"] = max(0.0, time.perf_counter() - arrived - worked)
        self.metrics.restored(
            answer.found,
            received=len(upload.content),
            sent=len(answer.content),
            work=worked,
            wait=answer.seconds["queue"],
        )
        return answer


async def _unless_gone(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Do `work`; if the client closes the connection, stop waiting and free the place."""
    doing = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait((doing, gone), return_when=asyncio.FIRST_COMPLETED)
        if not doing.done():
            raise ClientGoneError
        return doing.result()
    finally:
        doing.cancel()
        gone.cancel()
        await asyncio.gather(doing, gone, return_exceptions=True)


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
