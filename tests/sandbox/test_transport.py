from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from feedtool.areas.registry import sandbox_parts
from feedtool.sandbox.transport import SandboxTransport
from tests.sandbox.desk import Desk

HEADERS = {"Authorization": "Bearer sandbox", "SellerId": "S1"}


def client_of(transport: SandboxTransport) -> httpx.Client:
    return httpx.Client(base_url=transport.base, transport=transport, headers=HEADERS)


@pytest.fixture
def transport() -> Iterator[SandboxTransport]:
    transport = SandboxTransport(sandbox_parts())
    yield transport
    transport.close()


def commit(client: httpx.Client, transport: SandboxTransport, rows: list[object]) -> str:
    created = client.post(
        "/offer-packages", json={"packageType": "Upsert"}, headers={"SalesChannelId": "PRIMARY"}
    )
    location = created.headers["Content-Location"]
    assert client.post(f"{location}/offer-requests", json=rows).status_code == 201
    assert client.patch(location, json={"state": "Ready"}).status_code == 400
    transport.sleep(41)
    assert client.patch(location, json={"state": "Ready"}).status_code == 204
    return str(location)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("http://sandbox.invalid/v2/offer-packages", 200),
        ("http://sandbox.invalid/v1/offer-packages", 404),
        ("http://sandbox.invalid/offer-packages", 404),
        ("http://sandbox.invalid/v2", 404),
        ("http://sandbox.invalid/", 404),
    ],
)
def test_the_version_is_part_of_the_address(
    transport: SandboxTransport, path: str, status: int
) -> None:
    assert client_of(transport).get(path).status_code == status


def test_transports_may_share_a_state(tmp_path: Path, new_desk: type[Desk]) -> None:
    path = tmp_path / "state.db"
    one, other = SandboxTransport(sandbox_parts(), path), SandboxTransport(sandbox_parts(), path)
    location = commit(client_of(one), one, [new_desk.offer("A")])
    other.sleep(101)
    assert client_of(one).get(location).json()["state"] == "Integrated"
    one.close()
    other.close()
