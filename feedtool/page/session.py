"""The session of the page, which routes share: accounts, uploads, jobs; and the user's rights."""

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
"""Each language in its own words."""


class NotAllowed(FeedtoolError):
    """The user has no right to do this."""


class Accounts(Protocol):
    """The accounts of the configuration, and the sandbox."""

    @property
    def names(self) -> Sequence[str]: ...

    @property
    def usual(self) -> str:
        """The name of the account that is chosen at first."""

    @property
    def sellers(self) -> Mapping[str, SellerKey]:
        """The sellers of accounts that name one, by the accounts' names."""

    def is_sandbox(self, name: str) -> bool: ...

    def of_seller(self, address: str, seller: str) -> str:
        """The name of the account without a profile, if it is this seller's; else empty."""

    def lack(self, name: str, *, needs_channel: bool = False) -> str:
        """The reason why an account cannot send, as far as is known here; else empty."""

    def reading(self, name: str) -> AbstractContextManager[ReadOptions]:
        """The options to read files of an account; needs neither token nor network."""

    def recipes(self, name: str) -> RecipeFolders:
        """The recipes of an account, without those beside a file."""

    def planning(self, name: str) -> AbstractContextManager[PlanningAccount]: ...

    def open(self, name: str) -> AbstractContextManager[SellerAccount]: ...


class PageSession(Struct, frozen=True):
    """Everything that the page works with, besides its addresses."""

    accounts: Accounts
    users: Users
    uploads: Uploads
    jobs: Jobs
    workspace: Callable[[], AbstractContextManager[Workspace]]
    """Opens the records of all runs, for the calling thread."""
    clocks: Callable[[Workspace], ClockOf]
    """The clocks of services, for the times at which they will delete data."""
    body_limit: int
    """Most bytes of a file."""
    language: LanguageChoice
    checking: Sequence[str] = ()
    """The command that checks a file, without its id; empty in that command's process."""


def page_session() -> PageSession:
    return cast("PageSession", flask.current_app.extensions["page_session"])


def language() -> Language:
    return cast("Language", flask.g.language)


def say() -> Translator:
    return codes().say


def codes() -> Codes:
    """The pages of problem codes in the language of the request, in the words of the page."""
    return all_codes(language(), PageTranslator)


def user() -> User:
    return cast("User", flask.g.user)


def require(action: str, account: str) -> None:
    """Raise NotHere if the user does not see an account, NotAllowed if he may not do this there."""
    require_seen(account)
    if not user().may(action):
        raise NotAllowed(
            tr("you may look here, and not do this"),
            tr("ask the person who keeps the configuration"),
        )


def require_seen(account: str) -> None:
    if not user().sees(account):
        raise NotHere
