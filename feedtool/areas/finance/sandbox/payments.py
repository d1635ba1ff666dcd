"""GET /payments and its count: operations by payment day, sales channel and state."""

from itertools import groupby
from sqlite3 import Row
from typing import Any

from feedtool.areas.finance.sandbox import store
from feedtool.areas.finance.sandbox.behaviour import FinanceBehaviour
from feedtool.areas.finance.sandbox.life import booked
from feedtool.areas.finance.sandbox.store import OF_PAYMENTS, asked_page, selection
from feedtool.sandbox.exchange import Exchange, HttpResponse, json_answer

KEY = "due_at, channel, state"


@booked
def read_all(exchange: Exchange) -> HttpResponse:
    """GET /payments, the latest first; the specification shows no name of a member."""
    items = _payments(exchange)
    return json_answer(200, {"items": asked_page(exchange).of(items)})


@booked
def count(exchange: Exchange) -> HttpResponse:
    """GET /payments/count: a bare number."""
    return json_answer(200, len(_payments(exchange)))


def _payments(exchange: Exchange) -> list[dict[str, Any]]:
    selected = selection(exchange, OF_PAYMENTS)
    rows = exchange.db.execute(
        f"SELECT {KEY}, part.key AS event, SUM(part.value) AS cents"  # noqa: S608 - only constants are filled in
        f" FROM ({store.SEEN}) AS seen, json_each(seen.parts) AS part WHERE {selected.where}"
        f" GROUP BY {KEY}, event ORDER BY due_at DESC, channel, state, event",
        selected.values,
    )
    broken = exchange.settings.of(FinanceBehaviour).broken_payment
    return [
        _payment(key, {row["event"]: row["cents"] for row in group}, broken)
        for key, group in groupby(rows, _key)
    ]


def _key(row: Row) -> tuple[str, str, str]:
    return row["due_at"], row["channel"], row["state"]


def _payment(key: tuple[str, str, str], cents: dict[str, int], broken: str) -> dict[str, Any]:
    due_at, channel, state = key
    total = sum(cents.values()) + (due_at[:10] == broken)
    return {
        "paymentDate": due_at,
        "salesChannelId": channel,
        "paymentState": state,
        "currency": "EUR",
        "totalAmount": total / 100,
        "operationTypes": [
            {"type": name, "amount": amount / 100} for name, amount in cents.items()
        ],
    }
