"""Every feed is found by being there, and its declaration holds together."""

import pytest

from feedtool.areas.legacy.settings import LegacySettings
from feedtool.areas.legacy.writer import SHEET
from feedtool.areas.offers.settings import OfferSettings
from feedtool.areas.registry import load
from feedtool.feeds.feed import Feed
from feedtool.model.cells import folded
from feedtool.model.settings import DEPRECATED_MODES, AccountSettings

FEEDS = pytest.mark.parametrize("feed", load().feeds.values(), ids=load().feeds)


def test_the_kinds() -> None:
    legacy = ["legacy-offers", "legacy-stock-and-price"]
    offers = ["offers-delete", "offers-update", "offers-upsert"]
    acts = ["orders-accept", "orders-cancel", "orders-gesture", "orders-refuse"]
    talks = ["discussions", "discussions-close", "discussions-open", "discussions-read"]
    inbound = ["fulfillment-products", "inbound-shipments"]
    outbound = ["outbound-shipments", "outbound-shipments-cancel"]
    sent = ["orders", *acts, *outbound, "products", "returns", "shipments"]
    kinds = [*talks, *inbound, "invoices", *legacy, *offers, *sent]
    assert list(load().feeds) == kinds
    asking = [kind for kind, feed in load().feeds.items() if feed.recognition.only_if_asked]
    before = [*talks[1:], *inbound, "invoices", *legacy, "offers-delete", *acts]
    assert asking == [*before, outbound[1], "returns"]


@FEEDS
def test_its_template_has_columns_that_are_understood_and_not_retired(feed: Feed) -> None:
    keys = [column.key for column in feed.sheet.columns(AccountSettings())]
    assert len(keys) == len(set(keys))
    assert set(keys) <= {column.key for column in feed.sheet.understood(AccountSettings())}
    assert not {*keys} & {"CDAV", "PackagingUnit", "PackagingValue"}
    modes = {key.split(".")[1] for key in keys if key.startswith("deliveryModes.")}
    is_legacy = feed.sheet.name == SHEET  # its own Standard stays
    settings = LegacySettings().legacy_modes if is_legacy else ()
    assert (modes - {*settings}).isdisjoint(DEPRECATED_MODES)


@FEEDS
def test_no_label_means_two_columns(feed: Feed) -> None:
    names: dict[str, str] = {}
    for column in feed.sheet.understood(AccountSettings()):
        if "".join(column.key.split(".")[1:2]) in DEPRECATED_MODES:
            continue  # the operator's “Express” is ExpressHomeDelivery, which comes first
        for name in {folded(name) for name in (column.key, *column.labels, *column.aliases)}:
            assert names.setdefault(name, column.key) == column.key, name


@FEEDS
def test_every_column_has_texts_in_three_languages(feed: Feed) -> None:
    for column in feed.sheet.understood(AccountSettings()):
        assert len(column.labels) == len(column.help) == 3
        assert all(column.labels)
        assert all(column.help)


def test_the_account_sets_the_delivery_modes() -> None:
    feed = load().feeds["offers-upsert"]
    dialect = AccountSettings().having(
        OfferSettings(delivery_modes=("TrackedHomeDelivery", "Relay"))
    )
    keys = [column.key for column in feed.sheet.columns(dialect) if "deliveryModes" in column.key]
    assert keys == [
        f"deliveryModes.{mode}.{amount}"
        for mode in ("TrackedHomeDelivery", "Relay")
        for amount in ("cost", "additionalCost")
    ]
