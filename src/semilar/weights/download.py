"""Files from the network: time limits, a size limit, a checksum, and no half files."""

import http.client
import importlib.util
import shutil
import ssl
import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from semilar.errors import DownloadError
from semilar.files import atomic_path
from semilar.weights.index import PipSettings, find_link, pip_settings, project_page
from semilar.weights.manifest import Source

OnBytes = Callable[[int], None]  # called with the bytes received since the last call

_PATIENCE = 20.0  # seconds without a byte before giving up
_CHUNK = 1 << 18
_PAGE_LIMIT = 8 << 20


def download(source: Source, target: Path, *, progress: OnBytes | None = None) -> None:
    """Bring `source` to `target`, verified against its checksum; whole or not at all."""
    settings = pip_settings()
    opener = _opener(settings)
    if source.package and (local := _in_folders(source, settings)):
        source.check(local)
        with atomic_path(target) as temporary:
            shutil.copyfile(local, temporary)
        return
    address = _find_package(source, settings, opener) if source.package else source.url
    if address is None:
        raise DownloadError(f"{source.filename}: there is no address to fetch it from.")
    with atomic_path(target) as temporary:
        _receive(address, temporary, source, opener, progress or (lambda _: None))
        source.check(temporary)


def _in_folders(source: Source, settings: PipSettings) -> Path | None:
    files = (folder / source.filename for folder in settings.folders)
    return next((file for file in files if file.is_file()), None)


def _find_package(
    source: Source, settings: PipSettings, opener: urllib.request.OpenerDirector
) -> str:
    """Ask pip's indexes in turn for the page of the package and take the link to the file."""
    troubles: list[str] = []
    for index in settings.indexes:
        address = project_page(index, source.package or "")
        host = urlsplit(index).hostname or index
        try:
            with opener.open(_request(address), timeout=_PATIENCE) as answer:
                page = answer.read(_PAGE_LIMIT).decode("utf-8", "replace")
                address = answer.geturl()
        except (OSError, http.client.HTTPException, ValueError) as error:
            troubles.append(f"{host}: {_reason(error)}")
            continue
        if link := find_link(page, address, source.filename):
            return _with_login(link, index)
        troubles.append(f"{host}: not listed")
    raise DownloadError(
        f"{source.filename} could not be found on the package index "
        f"({'; '.join(troubles) or 'pip is set to use no index'})."
    )


def _receive(
    address: str,
    target: Path,
    source: Source,
    opener: urllib.request.OpenerDirector,
    progress: OnBytes,
) -> None:
    received = 0
    try:
        with (
            opener.open(_request(address), timeout=_PATIENCE) as answer,
            target.open("wb") as file,
        ):
            while chunk := answer.read(_CHUNK):
                received += len(chunk)
                if received > source.size:
                    break
                file.write(chunk)
                progress(len(chunk))
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise DownloadError(
            f"{source.filename} could not be downloaded: {_reason(error)}."
        ) from None
    if received != source.size:
        raise DownloadError(
            f"{source.filename} could not be downloaded: the server sent "
            f"{'more than' if received > source.size else 'only'} "
            f"{min(received, source.size)} of {source.size} bytes."
        )


def _opener(settings: PipSettings) -> urllib.request.OpenerDirector:
    context = ssl.create_default_context(cafile=settings.certificates)
    if importlib.util.find_spec("certifi") and not settings.certificates:
        import certifi  # pyright: ignore[reportMissingImports]

        context.load_verify_locations(certifi.where())
    proxies = {"http": settings.proxy, "https": settings.proxy} if settings.proxy else None
    return urllib.request.build_opener(
        urllib.request.ProxyHandler(proxies), urllib.request.HTTPSHandler(context=context)
    )


def _request(address: str) -> urllib.request.Request:
    """A request; a login inside the address becomes a header, as pip does."""
    parts = urlsplit(address)
    headers = {"User-Agent": "semilar", "Accept": "text/html, */*;q=0.1"}
    if parts.username:
        login = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["Authorization"] = f"Basic {b64encode(login.encode()).decode()}"
        address = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    return urllib.request.Request(address, headers=headers)


def _with_login(link: str, index: str) -> str:
    """A private index wants its login for its files too."""
    login, at, host = urlsplit(index).netloc.rpartition("@")
    parts = urlsplit(link)
    if at and parts.netloc == host:
        return parts._replace(netloc=f"{login}@{host}").geturl()
    return link


def _reason(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return f"HTTP status {error.code}"
    if isinstance(error, TimeoutError):
        return f"no answer within {_PATIENCE:.0f} s"
    reason = getattr(error, "reason", None)
    if isinstance(reason, Exception):
        return _reason(reason)
    return str(getattr(error, "strerror", None) or reason or error)
