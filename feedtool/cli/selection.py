"""Which rows a dry run would send: by the ledger that is there, and the account that is named."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from feedtool.cli import options
from feedtool.cli.home import home_path
from feedtool.cli.planning import account_of
from feedtool.model.errors import UsageProblem

if TYPE_CHECKING:
    from feedtool.check import Asked
    from feedtool.model.sheet import CheckedSheet
    from feedtool.runs.plan_file import Known

Sift = Callable[[Sequence["CheckedSheet"]], None]


@contextmanager
def sifting(given: Mapping[str, Any], asked: "Asked") -> "Iterator[tuple[Sift, Known]]":
    """Decides it, and what is known of the offers; nothing is made that is not there.

    Raises:
        UsageProblem: only what has changed is wanted, and nobody says whose offers are meant.
    """
    wanted, account = options.sifting_of(given), account_of(given)
    is_known = account.service is not None and account.seller is not None
    if wanted.changed_only and not is_known:
        raise UsageProblem(
            "--changed-only needs to know whose offers are meant",
            "name a profile with --profile, or give --base-url and --seller, or --sandbox",
        )
    home = home_path(given["home"])
    if is_known and (given["ledger"] or (home / "ledger.sqlite").is_file()):
        from feedtool.cli.workspace import books
        from feedtool.runs.plan_file import known_of
        from feedtool.runs.workspace import select_rows

        whose = (account.service or "", account.seller or "")
        with books(home, given["ledger"]) as opened:
            sift = partial(select_rows, opened, asked=asked, sifting=wanted, account=whose)
            yield sift, known_of(opened, whose)
        return
    from feedtool.areas.offers.changes.selection import Nothing
    from feedtool.areas.offers.changes.selection import sift as sift_unknown
    from feedtool.runs.plan_file import nothing_known

    yield (
        partial(
            sift_unknown,
            known=Nothing(),
            sifting=wanted,
            dialect=asked.dialect,
            earlier=lambda _: None,
        ),
        nothing_known,
    )
