"""Each endpoint of the specification is called, served, and reached by a command."""

from collections import Counter

import pytest

from feedtool.areas.registry import sandbox_parts
from tests.docs_parts import ROOT
from tests.endpoints import (
    PATH_NOT_SHOWN,
    Endpoint,
    clients,
    commands,
    count,
    routes,
    specified,
)

EVERY = [endpoint for part in specified().values() for endpoint in part]
ALL = 74


def test_the_specification_has_so_many() -> None:
    assert len({endpoint.shape for endpoint in EVERY}) == len(EVERY) == ALL
    assert set(map(str, EVERY)) >= PATH_NOT_SHOWN


def test_the_docs_list_the_endpoints() -> None:
    page = (ROOT / "docs/reference/endpoints.md").read_text("utf-8")
    assert f"\n{ALL} of {ALL} endpoints" in page
    assert count() == f"{ALL} of {ALL}"


@pytest.mark.parametrize("endpoint", EVERY, ids=str)
def test_each_is_called_and_served(endpoint: Endpoint) -> None:
    assert endpoint.shape in routes()
    assert clients()[endpoint.shape].commands


def test_each_is_served_once() -> None:
    every = [(route.method, route.path) for part in sandbox_parts() for route in part.ROUTES]
    assert [route for route, count in Counter(every).items() if count > 1] == []


def test_there_are_no_others() -> None:
    known = {endpoint.shape for endpoint in EVERY}
    assert (clients().keys() | routes().keys()) - known == set()


LEADS = {
    "a kind that sends": ("submit shipments", "POST /orders/{}/shipments"),
    "a kind that brings": ("export gestures", "GET /order-commercial-gesture-requests"),
    "what waits": ("todo", "GET /orders/count"),
    "a command": ("account check", "GET /sales-channel-configurations"),
    "a list of a list": ("export channels", "GET /sales-channel-configurations"),
}
DOES_NOT = {
    "another kind's call": ("submit orders-cancel", "POST /orders/{}/shipments"),
    "what its file may be sent by": ("export offers", "POST /offer-packages"),
    "nothing": ("template", "GET /orders"),
}


@pytest.mark.parametrize(("command", "endpoint"), LEADS.values(), ids=LEADS)
def test_leads_there(command: str, endpoint: str) -> None:
    assert command in clients()[Endpoint(*endpoint.split())].commands


@pytest.mark.parametrize(("command", "endpoint"), DOES_NOT.values(), ids=DOES_NOT)
def test_does_not_lead_there(command: str, endpoint: str) -> None:
    assert command in commands()
    assert command not in clients()[Endpoint(*endpoint.split())].commands
