"""A page that is killed in the midst of a delivery, and started again: nothing is sent twice."""

import re
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from subprocess import PIPE

import httpx
import pytest

from feedtool.areas.registry import sandbox_parts
from feedtool.sandbox import Sandbox
from tests.areas.offers.sandbox.records import applied_requests
from tests.forked import Child
from tests.page.conftest import SAMPLES

POINTS = range(6, 35)
"""Points from the recording of the run to its last answer."""
SOME = (19,)
PAUSE = 0.05
"""Seconds between two looks, in which the page works."""
LOOKS = 200
"""The most looks at the start page after a run."""


@contextmanager
def started(folder: Path, kill: int = -1) -> Iterator[httpx.Client]:
    """The page in its own process, which dies at a write; the client asks like a browser."""
    process = Child(
        "tests.page.killed_page:show_page",
        kill,
        folder=folder,
        environment={"PATH": ""},
        stdout=PIPE,
    )
    assert process.stdout
    address = process.stdout.readline().removeprefix("page: ").strip()
    origin = address[: address.index("/", len("http://"))]
    with httpx.Client(base_url=address, headers={"Origin": origin}, timeout=60) as client:
        yield client
    process.terminate()
    ended = process.wait()
    process.stdout.close()
    assert (ended == -signal.SIGKILL) == (kill >= 0)


def looked_at(client: httpx.Client, address: str) -> httpx.Response:
    """The answer, once it no longer waits for a job."""
    answer = client.get(address, follow_redirects=True)
    while "data-poll" in answer.text:
        time.sleep(PAUSE)
        answer = client.get(address, follow_redirects=True)
    return answer


def send(client: httpx.Client) -> None:
    """Brings a file, and sends what would be sent of it."""
    brought = client.put(
        "en/files/offers.xlsx", content=(SAMPLES / "offers-upsert.xlsx").read_bytes()
    )
    file = f"en/files/{brought.json()['id']}"
    plan = re.search(r"sha256:[0-9a-f]+", looked_at(client, f"{file}/plan").text)
    assert plan
    client.post(f"{file}/send", data={"plan": plan[0]})
    looked_at(client, f"{file}/sending")


@pytest.mark.parametrize(
    "kill", [*SOME, *(pytest.param(at, marks=pytest.mark.long) for at in POINTS if at not in SOME)]
)
def test_a_run_that_a_killed_page_left_goes_on(tmp_path: Path, kill: int) -> None:
    with started(tmp_path, kill) as client, suppress(httpx.TransportError):
        send(client)
    with started(tmp_path) as client:
        if "/runs/1" not in client.get("en/runs").text:
            send(client)
        else:
            start = client.get("en/").text
            assert "not finished, run 1" in start
            sending = re.search(r"files/[\w-]{16}", start)
            assert sending
            waiting = client.get(f"en/{sending[0]}/sending", follow_redirects=True)
            assert "Go on" in waiting.text  # a tab that waited for the run comes back to it
            client.post("en/runs/1/resume")
        page = looked_at(client, "en/runs/1").text
        for _ in range(LOOKS):  # the job ends a moment after the run
            if "sent, run 1" in (start := client.get("en/").text):
                break
            time.sleep(PAUSE)
        assert "sent, run 1" in start
    assert "Integrated" in page
    with closing(Sandbox(sandbox_parts(), tmp_path / "home" / "sandbox.sqlite")) as sandbox:
        outcomes = Counter(
            (request.reference, request.outcome) for request in applied_requests(sandbox)
        )
    assert set(outcomes.values()) == {1}
    assert sum(outcome == "Integrated" for _, outcome in outcomes) == 36
