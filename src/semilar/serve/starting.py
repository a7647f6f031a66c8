"""Starting the service: one process, or a parent that keeps several alive and replaces them."""

import contextlib
import json
import os
import signal
import socket
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from semilar.errors import SemilarError
from semilar.restore import DEFAULT_MODEL, Remover
from semilar.serve.app import create_app
from semilar.serve.connection import Connection
from semilar.serve.hosts import reached_from_elsewhere
from semilar.serve.metrics import FOLDER_VARIABLE
from semilar.serve.restorer import restorer
from semilar.serve.settings import Limits, ServiceSettings

_PLAN = "SEMILAR_SERVE_PLAN"  # how a worker process learns what to do
_START_SECONDS = 60  # for a worker to load its model


@dataclass(frozen=True, kw_only=True)
class ServicePlan:
    """All that a process of the service has to know."""

    model: str = DEFAULT_MODEL
    engine: str | None = None
    threads: int = 1
    settings: ServiceSettings = field(default_factory=ServiceSettings)

    def app(self) -> FastAPI:
        """The application with its model loaded."""
        remover = Remover(model=self.model, engine=self.engine, threads=self.threads)
        model = {
            "name": Path(self.model).stem,
            "engine": type(remover.engine).__name__.removesuffix("Engine").lower(),
            "working_size": remover.working_size,
            "views": remover.views,
            "licence": remover.card.licence or None,
        }
        return create_app(restorer(remover), settings=self.settings, model=model)


@dataclass(frozen=True, kw_only=True)
class Address:
    """Where the service listens and whom it believes."""

    host: str = "127.0.0.1"
    port: int = 8000
    processes: int = 1
    proxies: tuple[str, ...] = ("127.0.0.1",)
    """Addresses of reverse proxies whose X-Forwarded-For names the client."""
    grace_seconds: int = 60
    """How long running jobs may take to finish once the service is told to end."""
    public: bool = False
    """Everybody who can reach it may use it."""
    verbose: bool = False


def serve(plan: ServicePlan, address: Address, ready: Callable[[], None] = lambda: None) -> None:
    """Listen until SIGINT or SIGTERM; running jobs finish, new ones are not taken.

    With several processes SIGHUP replaces them one after the other, each only once its successor
    answers: a new model file is taken up without a pause. `ready` is called when the model is
    loaded and the port is free.
    """
    if reached_from_elsewhere(address.host) and not (address.public or plan.settings.token):
        raise SemilarError(
            f"{address.host} can be reached from other computers: give a token (--token-file FILE "
            "or $SEMILAR_TOKEN), or --public to let everybody in."
        )
    _check_address(address)
    app: FastAPI | str = plan.app()  # a model that cannot be loaded is told here, once
    ready()
    signal.signal(signal.SIGTERM, _leave)  # uvicorn repeats the signal once it is done
    if address.processes > 1:
        os.environ[_PLAN] = json.dumps(asdict(plan))
        app = f"{__name__}:{planned_app.__name__}"
    with _shared_counts(address.processes), contextlib.suppress(KeyboardInterrupt):
        uvicorn.run(
            app,
            factory=address.processes > 1,
            host=address.host,
            port=address.port,
            workers=address.processes,
            http=f"{Connection.__module__}:{Connection.__name__}",
            ws="none",
            forwarded_allow_ips=list(address.proxies),
            limit_concurrency=plan.settings.limits.connections,
            timeout_graceful_shutdown=address.grace_seconds,
            timeout_worker_healthcheck=_START_SECONDS,
            log_level="info" if address.verbose else "warning",
            access_log=False,  # `access_log` tells more
            server_header=False,
        )


def planned_app() -> FastAPI:
    """The application as the parent process planned it; uvicorn calls this in each worker."""
    plan = json.loads(os.environ[_PLAN])
    settings = plan.pop("settings")
    limits = settings.pop("limits")
    limits["formats"] = tuple(limits["formats"])
    for name in ("cors", "hosts"):
        settings[name] = None if settings[name] is None else tuple(settings[name])
    return ServicePlan(settings=ServiceSettings(limits=Limits(**limits), **settings), **plan).app()


@contextlib.contextmanager
def _shared_counts(processes: int) -> Iterator[None]:
    """A folder in which several processes count together; in memory where there is such a one."""
    if processes == 1:
        yield
        return
    memory = Path("/dev/shm")
    place = memory if memory.is_dir() and os.access(memory, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="semilar-counts-", dir=place) as folder:
        os.environ[FOLDER_VARIABLE] = folder
        yield


def _check_address(address: Address) -> None:
    """A port that is taken is an error, before anything is loaded."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address.host, address.port))
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or error
            raise SemilarError(
                f"{address.host} port {address.port}: cannot be listened on ({reason})."
            ) from None


def _leave(*_: object) -> None:
    raise KeyboardInterrupt
