"""`feedtool sandbox`: what its options do, and what keeps it from being served."""

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from feedtool.areas.products.sandbox.settings import ProductBehaviour
from feedtool.sandbox import server
from feedtool.sandbox.settings import Quota, SandboxSettings
from tests.cli.conftest import Feedtool

CLOSED = ("40170725", "96385074")


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that somebody else listens on."""
    with socket.create_server((server.LOOPBACK, 0)) as listening:
        yield listening.getsockname()[1]


def test_a_port_in_use(feedtool: Feedtool, taken: int) -> None:
    ran = feedtool("sandbox --port", str(taken))
    assert ran.code == 2
    error, hint = ran.error()
    assert "in use" in error
    assert "--port" in hint
    assert ran.out == ""


def test_a_state_that_is_none(feedtool: Feedtool, tmp_path: Path) -> None:
    other = tmp_path / "offers.csv"
    other.write_text("something else\n" * 100)
    ran = feedtool("sandbox --state", other)
    assert ran.code == 2
    error, hint = ran.error()
    assert "offers.csv cannot be used as a state" in error
    assert "--state" in hint
    assert ran.out == ""
    assert other.read_text() == "something else\n" * 100


def test_a_state_where_no_file_can_be(feedtool: Feedtool, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    ran = feedtool("sandbox --state", tmp_path / "file" / "state.db")
    assert ran.code == 2
    assert "--state" in ran.error()[1]


@pytest.mark.parametrize(
    ("arguments", "quota", "products"),
    [
        ([], None, ProductBehaviour()),
        (["--quota", "30"], Quota(30, 60), ProductBehaviour()),
        (
            ["--creations", "25"],
            None,
            ProductBehaviour(creations=Quota(25, 3600)),
        ),
        (
            ["--creations", "0"],
            None,
            ProductBehaviour(creations=Quota(0, 3600)),
        ),
        (["--products-limit", "100"], None, ProductBehaviour(limit=100)),
        (["--reported-products", "25"], None, ProductBehaviour(reported=25)),
        (
            ["--closed-products", "40170725, 96385074"],
            None,
            ProductBehaviour(closed=CLOSED),
        ),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, list) else "",
)
def test_what_an_owner_may_choose(
    feedtool: Feedtool,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    quota: Quota | None,
    products: ProductBehaviour,
) -> None:
    served: list[SandboxSettings] = []

    def serve(*given: Any, **_announce: Any) -> None:
        served.append(given[4])

    monkeypatch.setattr(server, "serve", serve)
    assert feedtool("sandbox", *arguments).code == 0
    [settings] = served
    assert (settings.quota, settings.of(ProductBehaviour)) == (quota, products)
