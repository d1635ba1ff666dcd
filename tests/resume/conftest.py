"""The sandbox behind a proxy: one for all tests."""

import itertools
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.ledger.conftest import postgresql, server
from tests.resume.proxy import NONE, Faults, Plan
from tests.resume.sellers import LAMPS, Shop
from tests.resume.world import Served, World, serving

__all__ = ("postgresql", "server")
"""The ledger's fixtures, for worlds of several machines."""


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("FEEDTOOL_")]:
        monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("service")) as served:
        yield served


@pytest.fixture(scope="session")
def catalogue(served: Served, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cache after a sync."""
    world = World(tmp_path_factory.mktemp("synced") / "world", served, "somebody")
    world.meet("sync", Plan())
    ran = world.run("catalog", "sync", "--profile", "shop", "--category", LAMPS)
    assert ran.code == 0, ran.err
    return world.folder / "home" / "catalog.sqlite"


@pytest.fixture
def made(
    tmp_path: Path,
    served: Served,
    request: pytest.FixtureRequest,
) -> Callable[..., Any]:
    """Makes a seller of its own and of this kind, in a world with these faults."""
    numbers = itertools.count()
    # Shown when the test fails.
    print(f"run it again with: pytest '{request.node.nodeid}' -m 'long or not long'")  # noqa: T201

    def make(kind: type[World], seed: str, faults: Faults = NONE, **more: Any) -> World:
        if issubclass(kind, Shop):
            more["catalogue"] = request.getfixturevalue("catalogue")
        folder = tmp_path / f"world-{next(numbers)}"
        world = kind(folder, served, seller=str(folder), **more)
        world.meet(seed, Plan(faults=faults))
        return world

    return make


@pytest.fixture
def world_of(made: Callable[..., Any]) -> Callable[..., World]:
    return partial(made, World)
