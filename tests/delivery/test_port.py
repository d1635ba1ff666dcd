"""A real port, at which nobody listens."""

import socket
from datetime import UTC, datetime

import pytest

from feedtool.areas.registry import load
from feedtool.delivery.engine import deliver
from feedtool.model.errors import Interrupted
from feedtool.service.auth import StaticToken
from feedtool.service.client import Client
from tests.delivery.conftest import Scene, upsert


def test_nobody_listens(scene: Scene) -> None:
    scene.plan([upsert(3)])
    with socket.create_server(("127.0.0.1", 0)) as listening:
        base = f"http://127.0.0.1:{listening.getsockname()[1]}/v2"
    slept: list[float] = []
    moment = [datetime(2025, 3, 4, 12, tzinfo=UTC)]
    told: list[tuple[str, str]] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        moment[0] = datetime.fromtimestamp(moment[0].timestamp() + seconds, UTC)

    with (
        Client(base, "S1", StaticToken("sandbox")) as client,
        pytest.raises(Interrupted, match=r"reached: 127\.0\.0\.1:\d+ refused the connection$"),
    ):
        deliver(
            scene.ledger,
            scene.run_id,
            client,
            load().routes,
            now=lambda: moment[0],
            sleep=sleep,
            jitter=lambda: 1.0,
            pool=1,
            on_event=lambda event: told.append((event.kind, event.text)),
        )
    assert slept == [2.0, 4.0, 8.0, 16.0, 32.0]
    assert [kind for kind, _ in told] == ["unreachable"] + ["trouble"] * 5
    assert told[0][1].endswith("refused the connection; trying again until about 12:01:02 UTC")
    assert f"{moment[0]:%H:%M:%S}" == "12:01:02"
