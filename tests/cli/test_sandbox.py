"""`feedtool sandbox`: what its options do, and what keeps it from being served."""

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from feedtool.areas.products.sandbox.submission import ProductBehaviour
from feedtool.sandbox import server
from feedtool.sandbox.exchange import Quota, SandboxSettings
from tests.cli.conftest import Feedtool

CLOSED = ("40170725", "96385074")


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that somebody else listens on."""
    with socket.create_server((server.LOOPBACK, 0)) as listening:
        yield listening.getsockname()[1]


@pytest.mark.parametrize(
    ("options", "said", "hint"),
    [
        ("--port {taken}", "in use", "--port"),
        ("--state offers.csv", "offers.csv cannot be used as a state", "--state"),
        ("--state offers.csv/state.db", "", "--state"),
    ],
)
def test_what_cannot_be_served(
    feedtool: Feedtool, taken: int, options: str, said: str, hint: str
) -> None:
    other = Path("offers.csv")
    other.write_text("something else\n" * 100)
    ran = feedtool(f"sandbox {options.format(taken=taken)}")
    assert (ran.code, ran.out) == (2, "")
    error, help_ = ran.error()
    assert said in error
    assert hint in help_
    assert other.read_text() == "something else\n" * 100


CHOICES = {
    "": (None, ProductBehaviour()),
    "--quota 30": (Quota(30, 60), ProductBehaviour()),
    "--creations 25": (None, ProductBehaviour(creations=Quota(25, 3600))),
    "--creations 0": (None, ProductBehaviour(creations=Quota(0, 3600))),
    "--products-limit 100": (None, ProductBehaviour(limit=100)),
    "--reported-products 25": (None, ProductBehaviour(reported=25)),
    "--closed-products '40170725, 96385074'": (None, ProductBehaviour(closed=CLOSED)),
}


@pytest.mark.parametrize("options", CHOICES)
def test_what_an_owner_may_choose(
    feedtool: Feedtool, monkeypatch: pytest.MonkeyPatch, options: str
) -> None:
    served: list[SandboxSettings] = []

    def serve(*given: Any, **_announce: Any) -> None:
        served.append(given[4])

    monkeypatch.setattr(server, "serve", serve)
    assert feedtool(f"sandbox {options}").code == 0
    [settings] = served
    assert (settings.quota, settings.of(ProductBehaviour)) == CHOICES[options]
