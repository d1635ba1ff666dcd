"""`feedtool sandbox` and `feedtool demo`."""

import shlex
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from feedtool.areas.products.sandbox.submission import ProductBehaviour
from feedtool.sandbox import server
from feedtool.sandbox.exchange import Quota, SandboxSettings
from feedtool.serving import LOOPBACK
from tests.cli.conftest import Feedtool
from tests.conftest import Files, offer

CLOSED = ("40170725", "96385074")


@pytest.fixture
def used_port() -> Iterator[int]:
    """A port that is in use."""
    with socket.create_server((LOOPBACK, 0)) as listening:
        yield listening.getsockname()[1]


NOT_SERVED = {
    "--port {taken}": "in use",
    "--state offers.csv": "offers.csv cannot be used as a state",
    "--state offers.csv/state.db": "",
}


@pytest.mark.parametrize(("options", "said"), NOT_SERVED.items())
def test_a_sandbox_that_cannot_be_served_is_refused(
    feedtool: Feedtool, files: Files, used_port: int, options: str, said: str
) -> None:
    other = files.text("something else\n" * 100)
    ran = feedtool(f"sandbox {options.format(taken=used_port)}")
    error, help_ = ran.error()
    assert (ran.code, ran.out) == (2, "")
    assert said in error
    assert options.partition(" ")[0] in help_
    assert other.read_text() == "something else\n" * 100


CHOICES = {
    "": (None, ProductBehaviour()),
    "--quota 30": (Quota(30, 60), ProductBehaviour()),
    "--creations 25": (None, ProductBehaviour(creations=Quota(25, 3600))),
    "--creations 0": (None, ProductBehaviour(creations=Quota(0, 3600))),
    "--products-limit 100": (None, ProductBehaviour(products_limit=100)),
    "--reported-products 25": (None, ProductBehaviour(reported_products=25)),
    "--closed-products '40170725, 96385074'": (None, ProductBehaviour(closed_products=CLOSED)),
}


@pytest.mark.parametrize("options", CHOICES)
def test_settings_of_the_sandbox(
    feedtool: Feedtool, monkeypatch: pytest.MonkeyPatch, options: str
) -> None:
    served: list[SandboxSettings] = []

    def serve(*given: Any, **_announce: Any) -> None:
        served.append(given[4])

    monkeypatch.setattr(server, "serve", serve)
    assert feedtool(f"sandbox {options}").code == 0
    [settings] = served
    assert (settings.quota, settings.of(ProductBehaviour)) == CHOICES[options]


# The demo.


@pytest.mark.parametrize(
    "home", [pytest.param((), marks=pytest.mark.long), ("--home", "else where")]
)
def test_the_demo_needs_no_preparation_and_leaves_its_run(
    feedtool: Feedtool, home: tuple[str, ...]
) -> None:
    ran = feedtool("demo", *home)
    assert ran.code == 0
    assert "Integrated" in ran.out
    assert "Rejected" in ran.out
    folder = Path("feedtool-demo")
    names = sorted(path.name for path in folder.iterdir())
    failed = "offers-upsert.failed.xlsx"
    assert names == [failed, "offers-upsert.result.xlsx", "offers-upsert.xlsx"]
    words = shlex.split(ran.next.split("`")[1])
    assert words == ["feedtool", "submit", str(folder / failed), "--sandbox", *home]
    assert "36 Integrated, 4 Rejected (finished)" in feedtool("runs", *home).out


def test_the_demo_keeps_edited_files(feedtool: Feedtool, files: Files) -> None:
    path = files.book({"Offers": [offer(1)]}, name="offers-upsert.xlsx")
    before = path.read_bytes()
    assert feedtool("demo .").code == 0
    assert path.read_bytes() == before
    path.write_text("junk")
    ran = feedtool("demo .")
    assert (ran.code, "look:" in ran.err) == (3, False)
