"""What the routes share: accounts, files, jobs, runs; and what the request at hand may do."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from functools import partial
from typing import Protocol, cast

import flask
from msgspec import Struct

from feedtool.check import ReadOptions
from feedtool.ledger.records import SellerKey
from feedtool.model.errors import FeedtoolError
from feedtool.model.text import Language, LanguageChoice, Translator, tr
from feedtool.page.access import User, Users
from feedtool.page.jobs import Jobs
from feedtool.page.texts import PageTranslator
from feedtool.page.uploads import NotHere, Uploads
from feedtool.report.codes import Codes
from feedtool.runs.codes import all_codes
from feedtool.runs.history import ClockOf
from feedtool.runs.recipes import RecipeFolders
from feedtool.runs.sellers import PlanningAccount, SellerAccount
from feedtool.runs.workspace import Workspace

now = partial(datetime.now, UTC)

LANGUAGE_NAMES: Mapping[str, str] = {"en": "English", "fr": "Français", "es": "Español"}
"""Each as it calls itself."""


class NotAllowed(FeedtoolError):
    """The user has no right to do this."""


class Accounts(Protocol):
    """The accounts of the configuration, and the sandbox."""

    @property
    def names(self) -> Sequence[str]:
        """The name of each."""
        ...

    @property
    def usual(self) -> str:
        """The name of the one that is chosen at first."""
        ...

    @property
    def sellers(self) -> Mapping[str, SellerKey]:
        """The seller of each of them that names one, by its name."""
        ...

    def is_sandbox(self, name: str) -> bool:
        """True for an account of the embedded sandbox."""
        ...

    def of_seller(self, address: str, seller: str) -> str:
        """The name of the account that no profile names, if it is this seller's; else empty."""
        ...

    def lack(self, name: str, *, needs_channel: bool = False) -> str:
        """Why nothing can be sent from an account, as far as is known here; empty where it can."""
        ...

    def reading(self, name: str) -> AbstractContextManager[ReadOptions]:
        """How files of an account are read; needs neither token nor network."""
        ...

    def recipes(self, name: str) -> RecipeFolders:
        """The recipes of an account; none of those that lie beside a file."""
        ...

    def planning(self, name: str) -> AbstractContextManager[PlanningAccount]:
        """An account for a dry run."""
        ...

    def open(self, name: str) -> AbstractContextManager[SellerAccount]:
        """An account, its session and its records."""
        ...


class PageSession(Struct, frozen=True):
    """The whole page, but for its addresses."""

    accounts: Accounts
    users: Users
    uploads: Uploads
    jobs: Jobs
    workspace: Callable[[], AbstractContextManager[Workspace]]
    """Opens the records of all runs, for the thread that asks."""
    clocks: Callable[[Workspace], ClockOf]
    """The clocks of services, for what they will delete."""
    body_limit: int
    """Bytes of the largest file."""
    language: LanguageChoice
    checking: Sequence[str] = ()
    """The command that checks the file whose id is put behind it; empty in its own process."""


def page_session() -> PageSession:
    """The desk of the application at hand."""
    return cast("PageSession", flask.current_app.extensions["page_session"])


def language() -> Language:
    """The language of the request, which is part of its address."""
    return cast("Language", flask.g.language)


def say() -> Translator:
    """The translator of the request."""
    return codes().say


def codes() -> Codes:
    """The pages of problem codes in the language of the request, and the words of the page."""
    return all_codes(language(), PageTranslator)


def user() -> User:
    """Who asks."""
    return cast("User", flask.g.user)


def require(action: str, account: str) -> None:
    """Sees that the user may do something in an account.

    Raises:
        NotHere: the account is none of his.
        NotAllowed: it is, and he may not do that.
    """
    require_seen(account)
    if not user().may(action):
        raise NotAllowed(
            tr("you may look here, and not do this"), tr("ask whoever keeps the configuration")
        )


def require_seen(account: str) -> None:
    """NotHere where the account is none of the user's."""
    if not user().sees(account):
        raise NotHere(tr("There is nothing at this address."))
