"""`semilar serve`: the HTTP service and its web page."""

import os
from pathlib import Path
from typing import Annotated

import typer

from semilar.cli.console import Verbosity, command, say
from semilar.errors import SemilarError
from semilar.threads import one_heap_for_all_threads, one_thread_for_algebra

TOKEN_VARIABLE = "SEMILAR_TOKEN"
_LIMITS = "Limits"
_ACCESS = "Access"


Host = Annotated[str, typer.Option(help="Address to listen on.")]
Port = Annotated[int, typer.Option(help="Port to listen on.", min=1, max=65535)]
ServedModel = Annotated[
    str | None, typer.Option(help="A bundled model's name or a model file.", show_default=False)
]
ServedEngine = Annotated[
    str | None, typer.Option(help="onnx, openvino or torch.", show_default=False)
]
Workers = Annotated[int, typer.Option(help="Photos at the same time.", min=1)]
Threads = Annotated[
    int | None,
    typer.Option(help="Cores for one photo.", min=1, show_default="cores / workers"),
]
Processes = Annotated[
    int, typer.Option(help="Processes; workers and limits are for each of them.", min=1)
]
Queue = Annotated[int, typer.Option(help="Requests that may wait.", min=0, rich_help_panel=_LIMITS)]
MaxMegabytes = Annotated[float, typer.Option(help="Largest body.", rich_help_panel=_LIMITS)]
MaxMegapixels = Annotated[float, typer.Option(help="Largest picture.", rich_help_panel=_LIMITS)]
Formats = Annotated[
    str | None,
    typer.Option(
        help="Formats to take, as jpeg,png; raw for camera files.",
        show_default="all but raw",
        rich_help_panel=_LIMITS,
    ),
]
JobSeconds = Annotated[
    float, typer.Option(help="Longest time for one photo.", rich_help_panel=_LIMITS)
]
BodySeconds = Annotated[
    float,
    typer.Option(
        help="Time for a body, and a second more for every 50 kB.", rich_help_panel=_LIMITS
    ),
]
Rate = Annotated[
    float,
    typer.Option(help="Photos per minute and client; 0: no limit.", rich_help_panel=_LIMITS),
]
Connections = Annotated[int, typer.Option(help="Open connections.", min=1, rich_help_panel=_LIMITS)]
GraceSeconds = Annotated[
    int, typer.Option(help="Time for running jobs at the end.", rich_help_panel=_LIMITS)
]
TokenFile = Annotated[
    Path | None,
    typer.Option(
        help=f"File with the bearer token to ask for (or ${TOKEN_VARIABLE}).",
        show_default="no token",
        rich_help_panel=_ACCESS,
    ),
]
Cors = Annotated[
    list[str] | None,
    typer.Option(
        help="Web origin whose pages may use the service, as https://example.org.",
        show_default="none",
        rich_help_panel=_ACCESS,
    ),
]
Public = Annotated[
    bool,
    typer.Option("--public", help="Let everybody in who can reach it.", rich_help_panel=_ACCESS),
]
AllowHost = Annotated[
    list[str] | None,
    typer.Option(
        help="Host name to answer to, besides localhost; may be given again.",
        show_default="the address listened on; any with --public",
        rich_help_panel=_ACCESS,
    ),
]
Proxy = Annotated[
    list[str] | None,
    typer.Option(
        help="Reverse proxy to believe about clients' addresses.",
        show_default="127.0.0.1",
        rich_help_panel=_ACCESS,
    ),
]


@command
def serve(
    host: Host = "127.0.0.1",
    port: Port = 8000,
    model: ServedModel = None,
    engine: ServedEngine = None,
    workers: Workers = 2,
    threads: Threads = None,
    processes: Processes = 1,
    queue: Queue = 32,
    max_megabytes: MaxMegabytes = 50,
    max_megapixels: MaxMegapixels = 64,
    formats: Formats = None,
    job_seconds: JobSeconds = 60,
    body_seconds: BodySeconds = 20,
    rate: Rate = 120,
    connections: Connections = 512,
    grace_seconds: GraceSeconds = 60,
    token_file: TokenFile = None,
    cors: Cors = None,
    public: Public = False,
    allow_host: AllowHost = None,
    proxy: Proxy = None,
) -> None:
    """Remove flare over HTTP, with a web page to drop photos on.

    One line for each request goes to standard error; `semilar -q serve` leaves it out.

    Example: semilar serve

    Example: semilar serve --host 0.0.0.0 --token-file token.txt --allow-host flare.example.org

    Example: curl -F photo=@street.jpg http://127.0.0.1:8000/v1/remove -o clean.jpg
    """
    one_thread_for_algebra()
    one_heap_for_all_threads()
    from semilar.restore import DEFAULT_MODEL
    from semilar.serve import Address, Limits, ServicePlan, ServiceSettings
    from semilar.serve import serve as listen
    from semilar.threads import cores

    limits = Limits(
        body_bytes=int(1e6 * max_megabytes),
        body_seconds=body_seconds,
        pixels=int(1e6 * max_megapixels),
        workers=workers,
        queue=queue,
        job_seconds=job_seconds,
        rate=rate,
        connections=connections,
        formats=_formats(formats) if formats is not None else Limits.formats,
    )
    hosts, addresses = _hosts(host, allow_host or [], public=public)
    plan = ServicePlan(
        model=model or DEFAULT_MODEL,
        engine=engine,
        threads=threads or max(1, cores() // (workers * processes)),
        settings=ServiceSettings(
            limits=limits,
            token=_token(token_file),
            cors=tuple(cors or ()),
            hosts=hosts,
            addresses=addresses,
            access_log=not Verbosity.quiet,
        ),
    )
    address = Address(
        host=host,
        port=port,
        processes=processes,
        proxies=tuple(proxy or ("127.0.0.1",)),
        grace_seconds=grace_seconds,
        public=public,
        verbose=Verbosity.verbose,
    )
    listen(plan, address, ready=lambda: say(f"Open {_page(host, port)} (Ctrl-C ends it)."))


def _page(host: str, port: int) -> str:
    """What a browser on this computer opens."""
    shown = "localhost" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}/"


def _hosts(
    listening: str, given: list[str], *, public: bool
) -> tuple[tuple[str, ...] | None, bool]:
    """(names to answer to, None for all; whether to any numeric address too)."""
    from semilar.serve import LOCAL_NAMES, check_name, names_for

    if given:
        return (*LOCAL_NAMES, *(check_name(name) for name in given)), False
    return (None, True) if public else names_for(listening)


def _formats(text: str) -> tuple[str, ...]:
    """Names as people write them to the names the package uses."""
    from semilar.photo import by_suffix

    names = [name.strip().upper() for name in text.split(",") if name.strip()]
    return tuple(by_suffix(Path(f"photo.{name}")) or name for name in names)


def _token(file: Path | None) -> str | None:
    """The token from the file, or from the environment; never from the command line, which
    every user of the computer can see."""
    if file is None:
        return os.environ.get(TOKEN_VARIABLE) or None
    try:
        token = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise SemilarError(f"{file}: cannot be read ({reason}).") from None
    if not token:
        raise SemilarError(f"{file}: holds no token.")
    return token
