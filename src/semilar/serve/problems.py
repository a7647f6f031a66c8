"""Errors as `application/problem+json` (RFC 9457), each with one clear message."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException

MEDIA_TYPE = "application/problem+json"


class ProblemText(BaseModel):
    """What an error's body holds."""

    title: str
    status: int
    detail: str


class RefusedError(Exception):
    """A request that is refused: status, message, further headers."""

    def __init__(
        self, status: HTTPStatus, detail: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = dict(headers or {})

    def response(self) -> Response:
        """The answer that tells it."""
        text = {"title": self.status.phrase, "status": self.status.value, "detail": self.detail}
        return JSONResponse(text, self.status, headers=self.headers, media_type=MEDIA_TYPE)


def busy(
    seconds: int, detail: str, status: HTTPStatus = HTTPStatus.SERVICE_UNAVAILABLE
) -> RefusedError:
    """Refused for now; the client may come back after `seconds`."""
    return RefusedError(status, detail, {"Retry-After": str(seconds)})


def invalid(error: ValidationError | RequestValidationError) -> RefusedError:
    """The first wrong option, named."""
    first = error.errors()[0]
    where = [str(part) for part in first["loc"] if part not in ("query", "body")]
    name = ".".join(where) or "request"
    return RefusedError(HTTPStatus.UNPROCESSABLE_ENTITY, f"{name}: {first['msg']}.")


def fault() -> RefusedError:
    """Not the client's doing."""
    message = "Something went wrong inside the service; its log says more."
    return RefusedError(HTTPStatus.INTERNAL_SERVER_ERROR, message)


def install(app: FastAPI) -> None:
    """Answer every kind of error in the same form; faults are `Guard`'s."""

    async def problem(_: Request, error: Any) -> Response:
        return error.response()

    async def validation(_: Request, error: Any) -> Response:
        return invalid(error).response()

    async def routing(_: Request, error: Any) -> Response:
        status = HTTPStatus(error.status_code)
        detail = {404: "There is nothing here.", 405: "This method is not for this address."}
        return RefusedError(status, detail.get(status, str(error.detail)), error.headers).response()

    app.add_exception_handler(RefusedError, problem)
    app.add_exception_handler(RequestValidationError, validation)
    app.add_exception_handler(HTTPException, routing)
