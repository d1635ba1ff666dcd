from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

import feedtool.areas
from feedtool.areas.registry import NAMES, sandbox_parts
from feedtool.sandbox import HttpRequest, Sandbox

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)

GREETINGS = """
from types import SimpleNamespace
from feedtool.sandbox.message import json_answer
from feedtool.sandbox.route import Route

def greet(exchange):
    exchange.db.execute("INSERT INTO greeting VALUES (?)", (exchange.seller,))
    (count,) = exchange.db.execute("SELECT COUNT(*) FROM greeting").fetchone()
    return json_answer(200, {"greetings": count})

PARTS = (
    SimpleNamespace(
        TABLES="CREATE TABLE IF NOT EXISTS greeting(seller TEXT NOT NULL);",
        ROUTES=(Route("POST", "/greetings", greet),),
        next_due=lambda db: None,
        step=None,
    ),
)
"""


def test_every_folder_with_a_sandbox_is_named() -> None:
    folders = Path(feedtool.areas.__path__[0]).glob("*/sandbox/__init__.py")
    assert sorted(NAMES) == sorted(file.parent.parent.name for file in folders)


def test_the_order_of_names_changes_nothing() -> None:
    assert sandbox_parts(NAMES) == sandbox_parts(NAMES[::-1])


@pytest.mark.parametrize(("others", "status"), [((), 404), (NAMES, 200)], ids=["alone", "with all"])
def test_an_area_may_come_from_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, others: tuple[str, ...], status: int
) -> None:
    folder = tmp_path / "elsewhere" / "greetings" / "sandbox"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(GREETINGS)
    monkeypatch.syspath_prepend(tmp_path)
    headers = {"Authorization": "Bearer sandbox", "SellerId": "S1"}
    with Sandbox(sandbox_parts((*others, "elsewhere.greetings"))) as sandbox:
        answers = [
            sandbox.handle(HttpRequest(method, path, headers=headers), NOW)
            for method, path in [("POST", "/greetings"), ("POST", "/greetings"), ("GET", "/brands")]
        ]
    assert [answer.body for answer in answers[:2]] == [b'{"greetings":1}', b'{"greetings":2}']
    assert answers[2].status == status
