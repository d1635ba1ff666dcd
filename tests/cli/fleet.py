"""A ledger and a store that machines share, a service, and profiles of sellers there."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from feedtool.areas.registry import sandbox_parts
from feedtool.sandbox.server import Server
from tests.conftest import offer, table
from tests.ledger.conftest import postgresql, server

__all__ = ("postgresql", "server")
"""The fixtures of databases."""

PROFILE = """
[profile.{name}]
base_url = "{address}"
seller = "{seller}"
token = "sandbox"
channel = "PRIMARY"
results = "{results}"
"""
ANSWERS = ["a.failed.xlsx", "a.result.csv", "a.summary.json"]
SHEET = table([offer(1), offer(2, quantity="x")]).encode()

Configure = Callable[[str], object]


@pytest.fixture
def shared(postgresql: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FEEDTOOL_LEDGER", postgresql)
    monkeypatch.setenv("FEEDTOOL_STORE", str(tmp_path / "store"))
    (tmp_path / "store").mkdir()


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    with Server(sandbox_parts()) as server:
        yield server.base


@pytest.fixture
def configure(service: str) -> Configure:
    return lambda place: write_profiles(service, place, shop="sandbox")


def write_profiles(address: str, results: Path | str, **sellers: str) -> None:
    """feedtool.toml with a profile for each seller."""
    profiles = (
        PROFILE.format(name=name, seller=seller, address=address, results=results)
        for name, seller in sellers.items()
    )
    Path("feedtool.toml").write_text("".join(profiles), "utf-8")


@pytest.fixture
def answers(shared: None, service: str, tmp_path: Path) -> Path:
    """The folder that the answers of both profiles go to."""
    del shared
    (folder := tmp_path / "answers").mkdir()
    write_profiles(
        service, folder, shop=f"shop of {tmp_path.name}", mall=f"mall of {tmp_path.name}"
    )
    return folder


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())
