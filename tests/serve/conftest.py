"""What tests of the service share: a model that dims, a browser, a page of the running service."""

import pytest
from playwright.sync_api import sync_playwright
from tools.chromium import FLAGS

from semilar.restore import Remover
from semilar.serve.app import create_app
from semilar.serve.restorer import restorer
from semilar.serve.settings import Limits, ServiceSettings
from tests.serve.browser import chromium_path, open_page
from tests.serve.fakes import MODEL
from tests.serve.live import live
from tests.support.models import dimming_model


@pytest.fixture(scope="module")
def remover(tmp_path_factory) -> Remover:
    return Remover(model=dimming_model(tmp_path_factory.mktemp("model") / "dim.onnx"), threads=1)


@pytest.fixture(scope="module")
def browser():
    path = chromium_path()
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def url(remover):
    settings = ServiceSettings(limits=Limits(body_bytes=1_000_000, rate=0))
    with live(create_app(restorer(remover), settings=settings, model=MODEL)) as (host, port):
        yield f"http://{host}:{port}/"


@pytest.fixture
def page(browser, url):
    opened = open_page(browser, url)
    yield opened
    assert opened.problems == []  # type: ignore[attr-defined]
    assert opened.hosts == {url.split("/")[2]}  # type: ignore[attr-defined]
    opened.context.close()
