"""The web page: a handful of files kept in memory, served under fixed names."""

import hashlib
from importlib import resources

from fastapi import APIRouter, Request
from fastapi.responses import Response

_TYPES = {
    "css": "text/css",
    "html": "text/html",
    "js": "text/javascript",
    "svg": "image/svg+xml",
}


def build() -> APIRouter:
    """`/` and the files it names; nothing else can be asked for."""
    router = APIRouter(include_in_schema=False)
    folder = resources.files("semilar.serve") / "page"
    for file in folder.iterdir():
        ending = file.name.rpartition(".")[2]
        if ending in _TYPES:
            address = "/" if file.name == "index.html" else f"/page/{file.name}"
            _add(router, address, file.read_bytes(), f"{_TYPES[ending]}; charset=utf-8")
    return router


def _add(router: APIRouter, address: str, content: bytes, media_type: str) -> None:
    tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}

    async def answer(request: Request) -> Response:
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(content, headers=headers, media_type=media_type)

    router.add_api_route(address, answer, methods=["GET", "HEAD"], response_class=Response)
