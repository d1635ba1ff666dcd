"""A seller at a sandbox, with the clock in hand."""

import copy
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlencode, urlsplit

import pytest

from feedtool.areas.registry import sandbox_parts
from feedtool.sandbox import HttpRequest, Quota, Sandbox, SandboxSettings
from tests.conftest import gtin

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
HEADERS = {"Authorization": "Bearer sandbox", "SellerId": "S1"}

# As `OfferBehaviour` and `ProductBehaviour` have it: 40 s to settle, 100 s to integrate.
SETTLED = 1
INTEGRATED = 2

OFFER: dict[str, Any] = {
    "product": {"gtin": "3760452700039", "reference": None},
    "condition": "New",
    "price": {
        "price": 11.0,
        "originPrice": 13.5,
        "taxes": [
            {"code": "VAT", "value": 20},
            {"code": "EcoPart", "value": 0.12},
            {"code": "DEA", "value": 0},
        ],
    },
    "deliveryModes": [{"code": "TrackedHomeDelivery", "cost": 4.9, "additionalCost": 1.5}],
    "preparationTime": 2,
    "quantity": 7,
}


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def reasons(self) -> list[tuple[str, str]]:
        """The problem's errors as (code, cause)."""
        return [(error["code"], error["cause"]) for error in self.json["errors"]]

    @property
    def next_query(self) -> str | None:
        """The query of the next page in the Link header, or None."""
        link = self.headers.get("Link", "")
        return urlsplit(link.partition(">")[0].removeprefix("<")).query if link else None


class Desk:
    def __init__(
        self, *parts: object, quota: Quota | None = None, state: Path | None = None
    ) -> None:
        settings = SandboxSettings(quota=quota, parts=parts)
        self.sandbox = Sandbox(sandbox_parts(), state, settings)
        self.now = START
        self.headers = {**HEADERS, "Content-Type": "application/json"}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.sandbox.close()

    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: str | Mapping[str, Any] = "",
        headers: Mapping[str, str | None] | None = None,
    ) -> Answer:
        """Send a request; headers of None are left out, a body of bytes is sent unchanged."""
        own = {**self.headers, **(headers or {})}
        sent = {name: value for name, value in own.items() if value is not None}
        asked = query if isinstance(query, str) else urlencode(query)
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        request = HttpRequest(method, path, asked, sent, content)
        response = self.sandbox.handle(request, self.now)
        return Answer(response.status, response.headers, response.body)

    def create(self, kind: str = "Upsert", channel: str = "PRIMARY", language: str = "") -> str:
        headers = {"SalesChannelId": channel, "Accept-Language": language or None}
        answer = self.ask("POST", "/offer-packages", {"packageType": kind}, headers=headers)
        assert (answer.status, answer.body) == (201, b"")
        return answer.headers["Content-Location"].rpartition("/")[2]

    def upload(self, package_id: str, *rows: Any) -> Answer:
        return self.ask("POST", f"/offer-packages/{package_id}/offer-requests", list(rows))

    def complete(self, package_id: str) -> Answer:
        return self.ask("PATCH", f"/offer-packages/{package_id}", {"state": "Ready"})

    def read(self, package_id: str) -> Answer:
        return self.ask("GET", f"/offer-packages/{package_id}")

    def state(self, package_id: str) -> str:
        state: str = self.read(package_id).json["state"]
        return state

    def results(self, package_id: str, query: str = "") -> Answer:
        path = f"/offer-packages/{package_id}/offer-requests-results"
        return self.ask("GET", path, query=query)

    def committed(self, kind: str, *uploads: list[Any], channel: str = "PRIMARY") -> str:
        """A package with these uploads, settled and Ready."""
        package_id = self.create(kind, channel)
        for rows in uploads:
            assert self.upload(package_id, *rows).status == 201
        self.wait(SETTLED)
        assert self.complete(package_id).status == 204
        return package_id

    def outcomes(
        self, kind: str, *rows: Any, channel: str = "PRIMARY"
    ) -> list[tuple[str | None, str, list[str]]]:
        """Send the rows and return (reference, status, codes) of each."""
        package_id = self.committed(kind, list(rows), channel=channel)
        self.wait(INTEGRATED)
        outcomes = []
        for item in self.pages(f"/offer-packages/{package_id}/offer-requests-results"):
            codes = [result["resultCode"] for result in item["results"]]
            outcomes.append((item["sellerExternalReference"], item["integrationStatus"], codes))
        return outcomes

    def outcome(self, kind: str, row: Any, channel: str = "PRIMARY") -> tuple[str, list[str]]:
        [(_, status, codes)] = self.outcomes(kind, row, channel=channel)
        return status, codes

    def pages(self, path: str, query: str | Mapping[str, Any] = "") -> Iterator[Any]:
        """Every item, following the Link headers."""
        following: str | Mapping[str, Any] | None = query
        while following is not None:
            answer = self.ask("GET", path, query=following)
            assert answer.status == 200, answer.body
            yield from answer.json["items"]
            following = answer.next_query

    def offers(self, channel: str = "PRIMARY", **query: Any) -> list[Any]:
        return list(self.pages("/offers", {"salesChannelId": channel, **query}))

    @staticmethod
    def gtin(number: int) -> str:
        """A well-formed GTIN-13 of its own for each number."""
        return gtin(number, 4)

    @classmethod
    def offer(cls, reference: str | None = "A-1", number: int = 1, /, **changes: Any) -> Any:
        """A good Upsert; a change's name says where, `price__originPrice=None` takes away."""
        row = copy.deepcopy(OFFER)
        row["sellerExternalReference"] = reference
        row["product"]["gtin"] = cls.gtin(number)
        for name, value in changes.items():
            *parents, last = name.split("__")
            inner = row
            for parent in parents:
                inner = inner[parent]
            inner[last] = value
        return row


@pytest.fixture
def desk() -> Iterator[Desk]:
    with Desk() as desk:
        yield desk


@pytest.fixture(scope="session")
def new_desk() -> type[Desk]:
    """Makes sandboxes with other settings, or a fresh one for every example."""
    return Desk
