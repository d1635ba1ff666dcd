"""Show an overview of all sellers."""

import flask

from feedtool.ledger.sellers import SellersOverview
from feedtool.model.text import tr
from feedtool.page.sellers import SellerSearch, bar_of, found_sellers
from feedtool.page.session import NotAllowed, now, page_session, user
from feedtool.runs.config import EVERY
from feedtool.runs.sellers import (
    CONTENT_TYPE,
    holder_text,
    name_of,
    next_try,
    trouble_text,
    write_metrics,
)

blueprint = flask.Blueprint("sellers", __name__)

LONG = 10
"""Minutes after which a file has waited for long."""


@blueprint.get("/sellers")
def every() -> str:
    """Show the sellers that the user may see; those with trouble first."""
    parameters = flask.request.args
    search = SellerSearch(
        "trouble" in parameters,
        "held" in parameters,
        max(0, parameters.get("waiting", 0, int)),
        "never" in parameters,
        max(1, parameters.get("page", 1, int)),
    )
    moment = now()
    return flask.render_template(
        "sellers.html",
        found=found_sellers(page_session(), user(), search, moment),
        search=search,
        long=LONG,
        now=moment,
        bar_of=bar_of,
        name_of=name_of,
        holder_text=holder_text,
        trouble_text=trouble_text,
        next_try=next_try,
    )


# The figures of all sellers together, for monitoring programs.


def metrics() -> flask.Response:
    """Answer with OpenMetrics text; users that the proxy names must see all accounts."""
    if user().name and not user().sees(EVERY):
        raise NotAllowed(
            tr("these are the figures of all accounts, and you see some of them"),
            tr("ask the person who keeps the configuration"),
        )
    with page_session().workspace() as workspace:
        figures = SellersOverview(workspace.ledger.engine, workspace.ledger.counts).figures()
    return flask.Response(write_metrics(figures, now()), content_type=CONTENT_TYPE)
