"""All sellers at a glance."""

import flask

from feedtool.page.desk import now, page_session, user
from feedtool.page.sellers import SellerSearch, bar_of, found_sellers
from feedtool.runs.sellers import holder_text, name_of, next_try, trouble_text

blueprint = flask.Blueprint("sellers", __name__)

LONG = 10
"""Minutes after which a file has waited for long."""


@blueprint.get("/sellers")
def every() -> str:
    """The sellers that the user may see, who needs looking after first."""
    asked = flask.request.args
    search = SellerSearch(
        "trouble" in asked,
        "held" in asked,
        max(0, asked.get("waiting", 0, int)),
        "never" in asked,
        max(1, asked.get("page", 1, int)),
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
