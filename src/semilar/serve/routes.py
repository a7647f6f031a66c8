"""The addresses of the service."""

from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import JSONResponse, Response
from fastapi.security import HTTPBearer
from pydantic import ValidationError

from semilar.serve import openapi
from semilar.serve.body import ClientGoneError, read_upload
from semilar.serve.metrics import MEDIA_TYPE as METRICS_TYPE
from semilar.serve.names import disposition
from semilar.serve.places import FullError
from semilar.serve.problems import busy, invalid
from semilar.serve.restoring import Answer, ClientOptions
from semilar.serve.service import Service

_CLIENT_GONE = 499  # as nginx counts it; nobody is there to read it


def build(service: Service) -> APIRouter:
    """All routes but the page's."""
    router = APIRouter()
    locked: list[Any] = [Depends(service.check_token)]
    if service.settings.token is not None:
        locked.append(Depends(HTTPBearer(auto_error=False)))
    _add_remove(router, service, locked)
    _add_models(router, service, locked)
    _add_state(router, service, locked)
    return router


def _add_remove(router: APIRouter, service: Service, locked: list[Any]) -> None:
    @router.post(
        "/v1/remove",
        summary="Take the flare out of a photo",
        tags=["photos"],
        dependencies=[*locked, Depends(service.check_rate)],
        response_class=Response,
        responses=openapi.remove_responses(service.settings),
        openapi_extra={"requestBody": openapi.REMOVE_BODY},
    )
    async def remove(request: Request, options: Annotated[ClientOptions, Query()]) -> Response:
        """The photo is the body, or the field `photo` of a form; options are query parameters or
        form fields. A form may bring a `mask` too: white where flare may be taken away, black where
        nothing may change. The answer is a picture of the same size with the metadata kept.
        Nothing is stored."""
        try:
            with service.places.place():
                upload = await read_upload(request, service.settings.limits)
                answer = await service.run(request, upload, _merged(options, upload.fields))
        except FullError as full:
            message = f"Too many photos are waiting; try again in {full.seconds} s."
            raise busy(full.seconds, message) from None
        except ClientGoneError:
            return Response(status_code=_CLIENT_GONE)
        return _picture(answer)


def _merged(options: ClientOptions, fields: dict[str, str]) -> ClientOptions:
    """Options from the query and from form fields; a form field wins."""
    if not fields:
        return options
    try:
        return ClientOptions.model_validate({**options.model_dump(exclude_unset=True), **fields})
    except ValidationError as error:
        raise invalid(error) from None


def _picture(answer: Answer) -> Response:
    timing = ", ".join(f"{step};dur={1000 * took:.1f}" for step, took in answer.seconds.items())
    headers = {
        "Cache-Control": "no-store",
        "Content-Disposition": disposition(answer.name),
        "Server-Timing": timing,
        "Semilar-Flare-Found": answer.found.word,
        "Semilar-Flare-Light": f"{answer.found.light:.6f}",
    }
    return Response(answer.content, headers=headers, media_type=answer.media_type)


def _add_models(router: APIRouter, service: Service, locked: list[Any]) -> None:
    @router.get(
        "/v1/models",
        summary="The model in use and the limits",
        tags=["photos"],
        dependencies=locked,
        responses=openapi.locked_responses(service.settings),
    )
    async def models() -> openapi.Models:
        """What restores the photos here, and what may be sent."""
        limits = service.settings.limits
        return openapi.Models(
            models=[openapi.Model(**service.model)],
            limits=openapi.PublicLimits(
                body_bytes=limits.body_bytes, pixels=limits.pixels, formats=list(limits.formats)
            ),
        )


def _add_state(router: APIRouter, service: Service, locked: list[Any]) -> None:
    @router.get("/healthz", summary="Is the process alive", tags=["operation"])
    async def healthz() -> openapi.State:
        """Always 200 while the service answers at all."""
        return openapi.State(status="ok")

    @router.get(
        "/readyz",
        summary="May photos be sent here",
        tags=["operation"],
        responses={503: {"description": "Not yet.", "model": openapi.State}},
    )
    async def readyz() -> Response:
        """200 once the model has done its first picture, 503 before."""
        status = HTTPStatus.OK if service.ready else HTTPStatus.SERVICE_UNAVAILABLE
        state = openapi.State(status="ready" if service.ready else "starting")
        return JSONResponse(state.model_dump(), status)

    @router.get(
        "/metrics",
        summary="Counts for Prometheus",
        tags=["operation"],
        dependencies=locked,
        response_class=Response,
        responses=openapi.metrics_responses(service.settings),
    )
    def metrics() -> Response:
        """Requests, photos, bytes, times, places, over all processes of the service."""
        return Response(service.metrics.text(), media_type=METRICS_TYPE)
