"""The figures of all sellers together, for programs that watch and warn."""

import flask

from feedtool.ledger.sellers_overview import SellersOverview
from feedtool.model.text import tr
from feedtool.page.desk import NotAllowed, now, page_session, user
from feedtool.runs.metrics import CONTENT_TYPE, write_metrics
from feedtool.runs.page_rights import EVERY


def metrics() -> flask.Response:
    """All of them as OpenMetrics text; who came by the proxy is to see all accounts."""
    if user().name and not user().sees(EVERY):
        raise NotAllowed(
            tr("these are the figures of all accounts, and you see some of them"),
            tr("ask whoever keeps the configuration"),
        )
    with page_session().workspace() as workspace:
        figures = SellersOverview(workspace.ledger.engine, workspace.ledger.counts).figures()
    return flask.Response(write_metrics(figures, now()), content_type=CONTENT_TYPE)
