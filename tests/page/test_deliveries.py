"""Runs are gone on with from the account that they were begun for, and from no other."""

from pathlib import Path

import pytest

from feedtool.check import ReadOptions
from feedtool.cli.options import SANDBOX, SANDBOX_SELLER
from feedtool.page.deliveries import account_of
from feedtool.page.session import PageSession, now
from feedtool.runs.outputs import Outputs
from feedtool.runs.run_record import RunOptions, RunSnapshots
from tests.page.conftest import application, made_session

CONFIG = """
[profile.shop]
base_url = "http://127.0.0.1:9/v2"
insecure_http = true
seller = "7"
token = "t"
"""
OWN = "http://127.0.0.1:9/v2"
TYPED = ["--base-url", OWN, "--insecure-http", "--seller", "7"]


def options(profile: str | None, *, is_sandbox: bool = False) -> RunOptions:
    missing = [("offers.csv", None)]  # what is to be in the ledger, and is not
    return RunOptions(ReadOptions(), Outputs(), RunSnapshots(), profile, is_sandbox, missing)


def begun(session: PageSession, service: str, seller: str) -> int:
    """A run of which nothing is sent yet."""
    with session.workspace() as workspace:
        return workspace.ledger.start_run(
            now=now(),
            seller=seller,
            service=service,
            language="en",
            options=options("shop").as_json(),
        )


@pytest.mark.parametrize(
    ("words", "profile", "is_sandbox", "account"),
    [
        ([], "shop", False, "shop"),
        ([], "gone", False, ""),
        ([], None, False, ""),
        ([], "shop", True, "sandbox"),
        ([], None, True, "sandbox"),
        (["--sandbox"], "shop", True, "shop"),
        (["--sandbox"], "shop", False, ""),
        (TYPED, None, False, "7@127.0.0.1:9"),
        (TYPED, "shop", False, ""),
        ([*TYPED, "--seller", "8"], None, False, ""),
    ],
)
def test_the_account_of_a_run(
    tmp_path: Path, words: list[str], profile: str | None, account: str, *, is_sandbox: bool
) -> None:
    (config := tmp_path / "feedtool.toml").write_text(CONFIG)
    with made_session(tmp_path / "home", "--config", str(config), *words) as session:
        number = begun(session, OWN, "7")
        with session.workspace() as workspace:
            run = workspace.ledger.run(number)
        assert run
        assert account_of(session, run, options(profile, is_sandbox=is_sandbox)) == account


RESUMED = {
    # The account of a run, and whether it is refused.
    (OWN, "8"): True,
    ("http://127.0.0.1:10/v2", "7"): True,
    (SANDBOX, SANDBOX_SELLER): True,
    (OWN, "7"): False,
}


def test_a_run_is_not_sent_to_another_seller(tmp_path: Path) -> None:
    (config := tmp_path / "feedtool.toml").write_text(CONFIG)
    with made_session(tmp_path / "home", "--config", str(config)) as session:
        client = application(session).test_client()
        for (service, seller), is_refused in RESUMED.items():
            run = begun(session, service, seller)
            client.post(f"/en/runs/{run}/resume")
            job = session.jobs.of_run(run)
            assert job
            while not job.is_over:
                job.wait(60)
            page = client.get(f"/en/runs/{run}").text
            assert ("begun for another seller" in page) == is_refused, page
            # A page that was shown while somebody worked is loaded anew, to say why nobody does.
            assert "data-over" in client.get(f"/en/runs/{run}/progress?working=on").text
            assert "data-over" not in client.get(f"/en/runs/{run}/progress").text
