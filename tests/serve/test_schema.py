"""The OpenAPI document against the service, by a tool that knows neither."""

import asyncio
from typing import Any, cast

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from semilar.photo import Photo, encode
from semilar.serve.names import MEDIA_TYPES
from tests.serve.fakes import app_with, client_of, jpeg
from tests.support.pictures import smooth_picture

# Half of the bodies are sound pictures, so that the tool gets past the door.
for _media in (*MEDIA_TYPES.values(), "application/octet-stream"):
    schemathesis.openapi.media_type(_media, st.one_of(st.just(jpeg()), st.binary(max_size=200)))
schemathesis.openapi.format("binary", st.one_of(st.just(jpeg()), st.binary(max_size=200)))

schema = schemathesis.openapi.from_asgi("/openapi.json", app_with(rate=0))
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


OPERATIONS = {one.ok().label: one.ok() for one in cast(Any, schema.get_all_operations())}


def examine(label: str, mode: GenerationMode, examples: int) -> None:
    """Ask `label` in `examples` ways, sound ones or damaged ones."""

    @given(case=OPERATIONS[label].as_strategy(generation_mode=mode))
    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )
    def ask(case: schemathesis.Case) -> None:
        case.call_and_validate(checks=CHECKS)

    try:
        ask()
    except Unsatisfiable:  # there is no wrong way to ask for an address without parameters
        assert mode is GenerationMode.NEGATIVE
        assert label.startswith("GET")


@pytest.mark.parametrize("mode", GenerationMode)
@pytest.mark.parametrize("label", OPERATIONS)
def test_every_answer_is_one_that_the_document_promises(label, mode):
    examine(label, mode, 25)


@pytest.mark.slow
@pytest.mark.parametrize("mode", GenerationMode)
def test_every_answer_is_one_that_the_document_promises_at_length(mode):
    examine("POST /v1/remove", mode, 500)


def test_the_document_has_examples_and_needs_no_other_host():
    async def fetch() -> dict:
        async with client_of(app_with()) as client:
            return (await client.get("/openapi.json")).json()

    document = asyncio.run(fetch())
    remove = document["paths"]["/v1/remove"]["post"]
    assert set(remove["requestBody"]["content"]) > {"multipart/form-data", "image/jpeg"}
    refused = {code: one for code, one in remove["responses"].items() if code != "200"}
    assert set(refused) == {"400", "403", "408", "413", "415", "422", "429", "503", "504"}
    for code, one in refused.items():
        example = one["content"]["application/problem+json"]["example"]
        assert example["status"] == int(code)
    assert "servers" not in document


def test_every_format_that_is_promised_can_be_written():
    photo = Photo(pixels=smooth_picture(32, 32))
    for kind in MEDIA_TYPES:
        assert encode(photo, format=kind)
