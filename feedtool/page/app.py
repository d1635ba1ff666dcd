"""The application: handlers for every request, and values for every page."""

import socket
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, cast

import flask
from jinja2 import StrictUndefined
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Request, Response

from feedtool.ledger.lock import Held
from feedtool.model.errors import FeedtoolError, NotAuthorised
from feedtool.model.text import LANGUAGES, Language, Translator, tr
from feedtool.page.access import (
    BEFORE_BODY,
    GUARDS,
    HEALTH,
    METRICS,
    Access,
    Guard,
    LocalAccess,
    SharedAccess,
    denial_of,
    facts_of,
    with_headers,
)
from feedtool.page.bringing import TABLES
from feedtool.page.plans import PlanChanged
from feedtool.page.routes import (
    columns,
    explain,
    exports,
    files,
    held,
    plan,
    runs,
    sellers,
    templates,
)
from feedtool.page.routes.files import hint_of, missing_settings
from feedtool.page.routes.grid import grid_part
from feedtool.page.session import (
    LANGUAGE_NAMES,
    NotAllowed,
    PageSession,
    codes,
    now,
    page_session,
    say,
    user,
)
from feedtool.page.sweeping import RETENTION, remove_old
from feedtool.page.uploads import FileTooLarge, NotHere
from feedtool.report.html import add_to, shown
from feedtool.report.statuses import statuses_text
from feedtool.serving import WebServer

# The layer between server and application.


if TYPE_CHECKING:
    from types import TracebackType

    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

    Raised = tuple[type[BaseException], BaseException, TracebackType] | tuple[None, None, None]

USER = "feedtool.user"
"""The name of the user in the WSGI environment of a request; empty for the page's owner."""


def guarded(
    application: "WSGIApplication", access: Access, guards: Sequence[Guard] = GUARDS
) -> "WSGIApplication":
    """Wrap the application in guards. It sees no token: its links get the token again."""

    def answer(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        def start(
            status: str, headers: list[tuple[str, str]], raised: "Raised | None" = None, /
        ) -> Callable[[bytes], object]:
            return start_response(status, with_headers(headers), raised)

        facts = facts_of(environ, access.user_header)
        denial = denial_of(facts, access, guards)
        if denial:
            language = Request(environ).accept_languages.best_match(LANGUAGES) or "en"
            text = Translator(cast("Language", language))(denial.text)
            response = Response(
                f"{text}\n", denial.status, content_type="text/plain; charset=utf-8"
            )
            return response(environ, start)
        environ[USER] = facts.user
        if isinstance(access, LocalAccess):
            root = f"/{access.token}"
            environ["SCRIPT_NAME"], environ["PATH_INFO"] = root, facts.path.removeprefix(root)
        return application(environ, start)

    return answer


def takes_body(access: Access, environ: "WSGIEnvironment") -> bool:
    """True if a request may have a body, by its headers; `guarded` answers with the reason."""
    return denial_of(facts_of(environ, access.user_header), access, BEFORE_BODY) is None


BLUEPRINTS = (
    *(files.blueprint, columns.blueprint, plan.blueprint, runs.blueprint, sellers.blueprint),
    *(exports.blueprint, held.blueprint, templates.blueprint, explain.blueprint),
)

NAVIGATION = (
    ("files.start", tr("Send")),
    ("exports.every", tr("From the service")),
    ("runs.every", tr("Runs")),
    ("sellers.every", tr("Sellers")),
    ("held.every", tr("Held back")),
    ("templates.every", tr("Templates")),
)
"""The pages in the navigation of every page."""

STATUSES: tuple[tuple[type[FeedtoolError], HTTPStatus], ...] = (
    (NotHere, HTTPStatus.NOT_FOUND),
    (PlanChanged, HTTPStatus.CONFLICT),
    (Held, HTTPStatus.LOCKED),
    (FileTooLarge, HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
    (NotAllowed, HTTPStatus.FORBIDDEN),
    (NotAuthorised, HTTPStatus.BAD_GATEWAY),
    (FeedtoolError, HTTPStatus.UNPROCESSABLE_ENTITY),
)
"""The status of the answer after an error; the first class that fits counts."""

OF_HTTP = {
    HTTPStatus.NOT_FOUND: tr("There is nothing at this address."),
    HTTPStatus.METHOD_NOT_ALLOWED: tr("This cannot be done at this address."),
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: tr("This is too large."),
}


def application(session: PageSession) -> flask.Flask:
    """Create the application; the first part of each page's address is the language."""
    app = flask.Flask(__name__)
    app.extensions["page_session"] = session
    _set_up_templates(app)
    app.add_url_rule("/", "start", lambda: flask.redirect(flask.url_for("files.start")))
    app.add_url_rule(HEALTH, "health", _health)
    app.add_url_rule(METRICS, "metrics", sellers.metrics)
    for blueprint in BLUEPRINTS:
        app.register_blueprint(blueprint, url_prefix=f"/<any({','.join(LANGUAGES)}):language>")
    app.url_value_preprocessor(_take_language)
    app.url_defaults(_give_language)
    app.before_request(_take_user)
    app.context_processor(_template_variables)
    app.register_error_handler(FeedtoolError, _error_page)
    app.register_error_handler(HTTPException, _http_error_page)
    return app


def _set_up_templates(app: flask.Flask) -> None:
    app.jinja_options = {
        "undefined": StrictUndefined,
        "trim_blocks": True,
        "lstrip_blocks": True,
        "finalize": shown,
    }
    add_to(app.jinja_env)
    app.jinja_env.globals |= {
        "grid_part": grid_part,
        "missing_settings": missing_settings,
        "statuses_text": statuses_text,
        "hint_of": hint_of,
        "tables": TABLES,
    }


def _take_language(_: str | None, values: dict[str, Any] | None) -> None:
    """Take the language out of the address, so that no route has to."""
    choice = page_session().language
    flask.g.language = (
        (values.pop("language", None) if values else None)
        or choice.asked
        or flask.request.accept_languages.best_match(LANGUAGES)
        or choice.default
    )


def _take_user() -> None:
    flask.g.user = page_session().users.of(flask.request.environ.get(USER, ""))


def _give_language(endpoint: str, values: dict[str, Any]) -> None:
    """Keep links in the language of the page."""
    if flask.current_app.url_map.is_endpoint_expecting(endpoint, "language"):
        values.setdefault("language", flask.g.language)


def _health() -> flask.Response:
    """Answer 200 if the records of runs can be opened."""
    try:
        with page_session().workspace():
            return flask.Response("ok\n", mimetype="text/plain")
    except FeedtoolError:
        text = "the records of runs cannot be opened\n"
        return flask.Response(text, HTTPStatus.SERVICE_UNAVAILABLE, mimetype="text/plain")


def _template_variables() -> dict[str, Any]:
    return {
        "say": say(),
        "codes": codes(),
        "page_session": page_session(),
        "user": user(),
        "navigation": NAVIGATION,
        "languages": LANGUAGE_NAMES.items(),
        "in_language": _in_language,
    }


def _in_language(code: str) -> str:
    """The address of the same page in another language."""
    request = flask.request
    if request.endpoint is None or request.method != "GET" or request.view_args is None:
        return flask.url_for("files.start", language=code)
    address = flask.url_for(request.endpoint, **{**request.view_args, "language": code})
    query = request.query_string.decode("ascii", "replace")
    return f"{address}?{query}" if query else address


def _error_page(error: FeedtoolError) -> tuple[str, int]:
    status = next(status for kind, status in STATUSES if isinstance(error, kind))
    id_ = (flask.request.view_args or {}).get("id_")
    is_of_file = id_ is not None and status is not HTTPStatus.NOT_FOUND
    back = flask.url_for("files.page", id_=id_) if is_of_file else flask.url_for("files.start")
    if flask.request.endpoint in {"plan.choose", "plan.sending"} and is_of_file:
        back = flask.url_for("plan.page", id_=id_)
    page = flask.render_template(
        "error.html", message=error.message, hint=hint_of(error), back=back
    )
    return page, int(status)


def _http_error_page(error: HTTPException) -> flask.typing.ResponseReturnValue:
    """Show a page for a request that no route takes."""
    status = HTTPStatus(error.code or HTTPStatus.INTERNAL_SERVER_ERROR)
    if status < HTTPStatus.BAD_REQUEST:
        return error.get_response()  # a redirection
    message = OF_HTTP.get(status) or tr("This request cannot be understood.")
    back = flask.url_for("files.start")
    return flask.render_template("error.html", message=message, hint="", back=back), int(status)


# Serve the page from its start to its end.


PAUSE = 1.0
"""Most seconds from a stop signal to the stop, if no signal ends the pause."""
EVERY = timedelta(days=1)
"""The time between two removals of old files."""


def serve(
    session: PageSession,
    listening: socket.socket,
    access: Access,
    kept: timedelta,
    *,
    stopping: Callable[[], FeedtoolError | None],
    sleep: Callable[[float], None],
    clock: Callable[[], datetime] = now,
) -> None:
    """Answer requests until a stop, and then wait until deliveries under way are parked.

    Folders that are older than `kept` are removed at the beginning, and once a day.
    """
    app = guarded(application(session), access)
    proxy = access.proxy if isinstance(access, SharedAccess) else None
    try:
        with WebServer(
            listening,
            app,
            largest_body=session.body_limit,
            trusted_proxy=proxy,
            takes_body=partial(takes_body, access),
        ):
            due = clock()
            while stopping() is None:
                if (moment := clock()) >= due:
                    session.jobs.start(
                        RETENTION, "check", partial(remove_old, session, moment, kept)
                    )
                    due = moment + EVERY
                sleep(PAUSE)
    finally:
        session.jobs.close()
