"""Progress of a run: uploads and rows of all, and nothing that looks like the end before it."""

from flask.testing import FlaskClient
from msgspec.structs import replace
from sqlalchemy import update

from feedtool.check import ReadOptions
from feedtool.cli.options import SANDBOX, SANDBOX_SELLER
from feedtool.ledger import tables as t
from feedtool.ledger.database import writing
from feedtool.ledger.records import Stage
from feedtool.page.session import PageSession, now
from feedtool.runs.outputs import Outputs
from feedtool.runs.run_record import RunOptions
from tests.ledger.conftest import add_run, item

OPTIONS = RunOptions(ReadOptions(), Outputs(), is_sandbox=True, sheets=[("a", None)])


def test_uploads_and_rows_are_counted_of_all(client: FlaskClient, session: PageSession) -> None:
    with session.workspace() as workspace:
        ledger = workspace.ledger
        run = ledger.start_run(
            now=now(),
            seller=SANDBOX_SELLER,
            service=SANDBOX,
            language="en",
            options=replace(OPTIONS, invalid=800).as_json(),
        )
        for address in (f"/en/runs/{run}", f"/en/runs/{run}/progress"):
            page = client.get(address).text
            assert "The rows are written down first; nothing is sent yet." in page
            assert "800" not in page
        add_run(ledger, map(item, range(3, 253)), run_id=run)
        page = client.get(f"/en/runs/{run}/progress").text
        assert "0 of 3 uploads are sent. 800 of 1,050 rows are answered" in page
        with writing(ledger.engine) as db:
            db.execute(update(t.uploads).filter_by(upload=1).values(stage=Stage.STAGED))
        page = client.get(f"/en/runs/{run}/progress").text
        assert "1 of 3 uploads are sent. 800 of 1,050 rows are answered" in page
