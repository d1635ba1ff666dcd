from datetime import UTC, datetime
from pathlib import Path

import pytest

import feedtool.areas
from feedtool.areas.registry import NAMES, load, sandbox_parts
from feedtool.report.as_json import ENGLISH
from feedtool.sandbox import HttpRequest, Sandbox

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def test_every_folder_with_a_sandbox_is_named() -> None:
    folders = Path(feedtool.areas.__path__[0]).glob("*/sandbox/__init__.py")
    assert sorted(NAMES) == sorted(file.parent.parent.name for file in folders)


def test_one_area_has_a_memory() -> None:
    assert [area.name for area in load().areas if area.memory] == ["offers"]


def test_the_order_of_names_changes_nothing() -> None:
    assert sandbox_parts(NAMES) == sandbox_parts(NAMES[::-1])


@pytest.mark.parametrize(("others", "status"), [((), 404), (NAMES, 200)], ids=["alone", "with all"])
def test_an_area_may_come_from_elsewhere(others: tuple[str, ...], status: int) -> None:
    headers = {"Authorization": "Bearer sandbox", "SellerId": "S1"}
    with Sandbox(sandbox_parts((*others, "tests.areas.toy"))) as sandbox:
        parcels, brands = (
            sandbox.handle(HttpRequest("GET", path, headers=headers), NOW)
            for path in ("/parcels", "/brands")
        )
    assert (parcels.body, brands.status) == (b'{"items":[]}', status)


@pytest.mark.parametrize("names", [(), NAMES], ids=["none", "all"])
def test_one_area_knows_the_calls_and_the_codes_of_the_service(names: tuple[str, ...]) -> None:
    service = load(names).service
    known = (
        service.account_calls,
        service.known_codes(),
        service.explain("1306", ENGLISH),
        service.field_of("1306"),
        service.is_confirmation("8000"),
    )
    assert [*map(bool, known)] == [bool(names)] * len(known)
