"""A purge that was interrupted before it was sent, gone on with."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from feedtool.check import Input, ReadOptions
from feedtool.model.call import Call, Reply, Sender
from feedtool.model.errors import NotAuthorised, UsageProblem
from feedtool.report.sheet_result import exit_code
from feedtool.runs.deliver import Submission, resume
from feedtool.runs.outputs import Outputs
from feedtool.runs.purge import Purge
from feedtool.runs.submit import submit
from feedtool.runs.workspace import unfinished
from tests.areas.offers.sandbox.records import stored_offers
from tests.conftest import Files, offer
from tests.runs.conftest import Desk, statuses


class Refusing:
    """A service that takes no zip."""

    def __init__(self, client: Sender) -> None:
        self.client = client

    def send(self, call: Call) -> Reply:
        is_zip = call.method == "POST" and call.target == "/offer-integration-packages"
        return Reply(401) if is_zip else self.client.send(call)


def purge(desk: Desk, path: Path, seen: list[Purge]) -> Submission:
    return submit(
        [Input(path.name, path)],
        ReadOptions(kind="legacy-offers", purges=True),
        Outputs(),
        replace(desk.session, client=Refusing(desk.session.client)),
        desk.workspace,
        confirm=seen.append,
    )


@pytest.fixture
def desk(tmp_path: Path, files: Files) -> Iterator[Desk]:
    """Offers 1 and 2 are there, and a purge that keeps 2 was confirmed and not sent."""
    with closing(Desk(tmp_path / "home")) as made:
        made.submit(files.csv(offer(1), offer(2), name="first.csv"))
        seen: list[Purge] = []
        found = purge(made, files.csv(offer(2), offer(3)), seen)
        assert isinstance(found.stopped, NotAuthorised)
        assert seen == [Purge("PRIMARY", 2, 1, 2)]
        yield made


def references(desk: Desk) -> list[str]:
    offers = stored_offers(desk.transport.sandbox)
    return sorted(one["sellerExternalReference"] for one in offers)


def test_a_purge_is_sent_if_it_removes_no_more_than_confirmed(desk: Desk) -> None:
    # The results of its run send no rows.
    submission = resume(2, desk.session, desk.workspace, only_fetch=True)
    assert statuses(submission) == [[(2, "Pending"), (3, "Pending")]]
    assert references(desk) == ["SKU-1", "SKU-2"]
    submission = resume(2, desk.session, desk.workspace)
    assert statuses(submission) == [[(2, "Integrated"), (3, "Integrated")]]
    assert references(desk) == ["SKU-2", "SKU-3"]


def test_a_purge_that_would_remove_more_is_held(desk: Desk, files: Files) -> None:
    desk.submit(files.csv(offer(4), name="meanwhile.csv"))
    submission = resume(2, desk.session, desk.workspace)
    assert statuses(submission) == [[(2, "Held"), (3, "Held")]]
    [verdict, _] = submission.outcomes[0].every_verdict()
    assert verdict.messages[0].text == (
        "Not sent: the purge would remove more offers than was confirmed, so submit it again: of"
        " the 3 offers that the service has on PRIMARY now, 2 will be removed; the 2 of the zip"
        " remain"
    )
    assert exit_code(submission.outcomes, submission.stopped) == 1
    assert references(desk) == ["SKU-1", "SKU-2", "SKU-4"]
    assert unfinished(desk.workspace) == []


def test_an_open_package_of_another_machine_prevents_a_purge(tmp_path: Path, files: Files) -> None:
    first = files.csv(offer(1), name="first.csv")
    with closing(Desk(tmp_path / "here")) as here, closing(Desk(tmp_path / "there")) as there:
        there.session = replace(here.session)
        there.submit(first, wait=False)
        with pytest.raises(UsageProblem, match="a purge needs no open package, and package"):
            purge(here, files.csv(offer(2)), [])
        assert here.ledger.run_ids() == []
