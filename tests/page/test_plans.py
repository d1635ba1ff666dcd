"""The plan that is shown is that of the choices in force."""

from pathlib import Path

import pytest
from flask.testing import FlaskClient

from feedtool.page.jobs import Job
from feedtool.page.plans import plan_of, start_plan
from feedtool.page.session import PageSession
from feedtool.page.uploads import Choices
from tests.conftest import Files, offer
from tests.page.conftest import SAMPLES, settled, upload_file


@pytest.fixture
def few(files: Files) -> Path:
    return files.book({"Offers": [offer(number) for number in (1, 2, 3, 4)]})


def end(job: Job) -> None:
    while not job.is_over:
        job.wait(60)
    assert job.error is None


def test_a_plan_is_made_again_where_something_else_was_chosen_meanwhile(
    client: FlaskClient, session: PageSession, few: Path
) -> None:
    file = session.uploads.file(id_ := upload_file(client, few))
    settled(client, f"/en/files/{id_}")
    session.uploads.choose(file, Choices(rows={"Offers": "3-5"}), is_read_anew=False)
    end(start_plan(session, file))
    plan = plan_of(session, session.uploads.file(id_))
    assert plan
    assert plan.sent == 3


def test_no_plan_is_taken_for_one_of_other_choices(
    client: FlaskClient, session: PageSession, few: Path
) -> None:
    """A slow job may even put its plan in place after them."""
    file = session.uploads.file(id_ := upload_file(client, few))
    settled(client, f"/en/files/{id_}/plan")
    made = session.uploads.folder(id_) / "plan.json"
    slow = made.read_bytes()
    assert plan_of(session, file)
    for present in (
        session.uploads.choose(file, file.choices, is_read_anew=True),
        session.uploads.choose(file, Choices(rows={"Offers": "3-5"}), is_read_anew=False),
    ):
        made.write_bytes(slow)
        assert plan_of(session, present) is None


def test_a_plan_that_was_half_written_is_made_again(
    client: FlaskClient, session: PageSession, few: Path
) -> None:
    id_ = upload_file(client, few)
    settled(client, f"/en/files/{id_}/plan")
    made = session.uploads.folder(id_) / "plan.json"
    made.write_bytes(made.read_bytes()[:40])
    assert "Send 4 rows" in settled(client, f"/en/files/{id_}/plan").text


@pytest.mark.parametrize(
    ("name", "form", "says"),
    [
        ("offers-upsert.xlsx", {"which": "all"}, "can be a purge"),
        (
            "legacy-offers.xlsx",
            {"which": "rows", "rows": "3"},
            "of all other rows would be removed",
        ),
    ],
)
def test_a_purge_that_cannot_be_is_refused_and_the_file_is_still_there(
    client: FlaskClient, name: str, form: dict[str, str], says: str
) -> None:
    id_ = upload_file(client, SAMPLES / name)
    settled(client, f"/en/files/{id_}/plan")
    told = client.post(f"/en/files/{id_}/plan", data={**form, "purges": "on"}).text
    told += settled(client, f"/en/files/{id_}/plan").text
    assert says in told
    assert settled(client, f"/en/files/{id_}/plan").status_code == 200
