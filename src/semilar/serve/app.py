"""The application, put together."""

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import numpy as np
from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.middleware.cors import CORSMiddleware

from semilar import __version__
from semilar.photo import Photo
from semilar.serve import access_log, problems, routes, site
from semilar.serve.connection import HEAD_SECONDS
from semilar.serve.guard import Exchange, Guard
from semilar.serve.hosts import Callers
from semilar.serve.restoring import Asked, Restore
from semilar.serve.service import Service
from semilar.serve.settings import ServiceSettings

_EXPOSED = [
    "Content-Disposition",
    "Retry-After",
    "Semilar-Flare-Found",
    "Semilar-Flare-Light",
    "Server-Timing",
]


def create_app(
    restore: Restore, *, settings: ServiceSettings | None = None, model: dict[str, Any]
) -> FastAPI:
    """The service around one function that restores photos, called from several threads.

    `model` is what `/v1/models` says of it: name and engine.
    """
    settings = settings or ServiceSettings()
    service = Service.build(settings, restore, model)
    app = FastAPI(
        title="semilar",
        summary="Removes lens flare from night photographs.",
        version=__version__,
        lifespan=_lifespan(service),
        docs_url=None,  # those pages load scripts from another host
        redoc_url=None,
    )
    app.state.service = service
    problems.install(app)
    app.include_router(routes.build(service))
    app.include_router(site.build())
    if settings.cors:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(settings.cors),
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type"],
            expose_headers=_EXPOSED,
        )
    app.add_middleware(
        Callers, hosts=settings.hosts, addresses=settings.addresses, cors=settings.cors
    )

    def answered(exchange: Exchange) -> None:
        service.metrics.answered(exchange.status)
        if settings.access_log:
            access_log.log(exchange)

    app.add_middleware(
        Guard,
        answered=answered,
        linger_bytes=settings.limits.body_bytes,
        shared=bool(settings.cors),
    )
    return app


def _lifespan(service: Service) -> Any:
    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[dict[str, Any]]:
        dark = Photo(pixels=np.zeros((64, 64, 3), np.uint8))
        await run_in_threadpool(service.restore, dark, Asked())
        service.ready = True
        yield {HEAD_SECONDS: service.settings.limits.head_seconds}
        service.ready = False

    return lifespan
