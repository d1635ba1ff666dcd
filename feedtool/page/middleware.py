"""What stands between the server and the application: guards before it, headers after it."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, cast

from werkzeug.wrappers import Request, Response

from feedtool.model.text import LANGUAGES, Language, Translator
from feedtool.page.guards import (
    BEFORE_BODY,
    GUARDS,
    Access,
    Denial,
    Guard,
    LocalAccess,
    SharedAccess,
    denial_of,
    facts_of,
    with_headers,
)

if TYPE_CHECKING:
    from types import TracebackType

    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

    Raised = tuple[type[BaseException], BaseException, TracebackType] | tuple[None, None, None]

USER = "feedtool.user"
"""The name of the user in the WSGI environment of a request; empty for the page's owner."""


def guarded(
    application: "WSGIApplication", access: Access, guards: Sequence[Guard] = GUARDS
) -> "WSGIApplication":
    """The application for those alone who may ask it. It sees no token: its links get it again."""
    user_header = access.user_header if isinstance(access, SharedAccess) else ""

    def answer(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        def start(
            status: str, headers: list[tuple[str, str]], raised: "Raised | None" = None, /
        ) -> Callable[[bytes], object]:
            return start_response(status, with_headers(headers), raised)

        facts = facts_of(environ, user_header)
        denial = denial_of(facts, access, guards)
        if denial:
            return _told(denial, environ)(environ, start)
        environ[USER] = facts.user
        if isinstance(access, LocalAccess):
            root = f"/{access.token}"
            environ["SCRIPT_NAME"], environ["PATH_INFO"] = root, facts.path.removeprefix(root)
        return application(environ, start)

    return answer


def takes_body(access: Access, environ: "WSGIEnvironment") -> bool:
    """True if a request may have a body, judged by its headers; `guarded` gives the reason."""
    user_header = access.user_header if isinstance(access, SharedAccess) else ""
    facts = facts_of(environ, user_header)
    return denial_of(facts, access, BEFORE_BODY) is None


def _told(denial: Denial, environ: "WSGIEnvironment") -> Response:
    """A denial in the browser's language."""
    language = Request(environ).accept_languages.best_match(LANGUAGES) or "en"
    text = Translator(cast("Language", language))(denial.text)
    return Response(f"{text}\n", denial.status, content_type="text/plain; charset=utf-8")
