"""The account that files are sent from, with all that its files need."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from msgspec import Struct

from feedtool.areas.offers.changes.selection import EVERY_ROW, SelectionOptions
from feedtool.check import ReadOptions
from feedtool.feeds.export import Export, Query
from feedtool.ledger.claims import Claims
from feedtool.ledger.records import SellerKey, seller_key
from feedtool.model.errors import Exit, FeedtoolError
from feedtool.model.settings import Context
from feedtool.model.text import LanguageChoice
from feedtool.report.sheet_result import SheetResult
from feedtool.runs.export_request import query_of
from feedtool.runs.outputs import ENGLISH_UNLESS_STAMPED
from feedtool.runs.plan_conditions import Account
from feedtool.runs.workspace import Session, Workspace


def _unfiltered(kind: Export, filters: Mapping[str, Any]) -> Query:
    """Return a query for an unknown account."""
    return query_of(kind, filters, "", "en", Context())


class PlanningAccount(Struct, frozen=True):
    """The part of an account that a dry run needs: neither token nor network."""

    reading: ReadOptions
    selection: SelectionOptions
    identity: Account


class SellerAccount(Struct, frozen=True):
    """An account, with all that its files need."""

    session: Session
    workspace: Workspace
    reading: ReadOptions
    on_answered: Callable[[Sequence[SheetResult], Exit], None] = lambda *_: None
    """Called with the results of a run; returns at once."""
    on_refused: Callable[[str, FeedtoolError], None] = lambda *_: None
    """Called with a file that is not sent, or not completely; returns at once."""
    selection: SelectionOptions = EVERY_ROW
    language: LanguageChoice = ENGLISH_UNLESS_STAMPED
    """The language of texts for people."""
    query: Callable[[Export, Mapping[str, Any]], Query] = _unfiltered
    """Returns the query of an export with some filters; see `export_request.query_of`."""

    @property
    def claims(self) -> Claims:
        return self.workspace.ledger.claims

    @property
    def key(self) -> SellerKey:
        return seller_key(self.session.address, self.session.seller)


OpenAccount = Callable[[str | None], AbstractContextManager[SellerAccount]]
"""Opens a profile's account, or the command line's, in the thread that uses it."""
