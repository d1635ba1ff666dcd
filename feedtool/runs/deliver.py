"""Brings a run that is written down to its end, as far as that goes now, and writes its copies."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions
from feedtool.model.errors import FeedtoolError
from feedtool.report import SheetResult
from feedtool.runs.annotated_copy import digest_of, write_copies_of
from feedtool.runs.run_options import RunOptions
from feedtool.runs.session import Session
from feedtool.runs.workspace import Workspace

if TYPE_CHECKING:  # the ledger's library takes longer to import than a small file to check
    from feedtool.delivery.events import Event

OnEvent = Callable[["Event"], None]


def ignore(_: "Event") -> None:
    """What is done with events where nobody asks for them."""


@dataclass(frozen=True, slots=True)
class Submission:
    """The outcome of a delivery."""

    outcomes: list[SheetResult]
    stopped: FeedtoolError | None = None
    """What stopped the delivery before its end."""
    warnings: Sequence[str] = ()
    """What the seller should know of, each on one line."""


def deliver_run(
    run: int,
    asked: ReadOptions,
    session: Session,
    workspace: Workspace,
    *,
    wait: bool,
    only_fetch: bool = False,
    on_event: OnEvent = ignore,
) -> FeedtoolError | None:
    """What stopped the delivery of a run before its end; None where nothing did."""
    from feedtool.delivery.engine import Delivery
    from feedtool.delivery.steps import DeliverySettings

    dialect = asked.dialect
    try:
        Delivery(
            workspace.ledger,
            run,
            session.client,
            load().routes,
            now=session.now,
            sleep=session.sleep,
            on_event=on_event,
            ahead=session.ahead(),
            wait=wait,
            only_fetch=only_fetch,
            pool=session.pool,
            stopping=session.stopping,
            settings=DeliverySettings(
                results_limit=session.page,
                batch_pause=timedelta(seconds=dialect.batch_pause),
                quota_pause=timedelta(seconds=dialect.quota_pause),
                before_resending=timedelta(seconds=dialect.resend_pause),
                dialect=dialect,
            ),
        ).run()
    except FeedtoolError as error:
        return error
    return None


def has_begun(outcomes: Iterable[SheetResult]) -> bool:
    """True if the service has a package of the run."""
    return any(package.package_id for outcome in outcomes for package in outcome.packages)


def write_copies(
    run: int,
    kept: Sequence[Input],
    outcomes: Sequence[SheetResult],
    options: RunOptions,
    now: datetime,
    workspace: Workspace,
    former: Sequence[Path] = (),
) -> None:
    """Writes the annotated copies of a run, and where they cannot be written, nearby.

    The copy of a run of one file may have had `former` names: it stands there too.
    """
    hashes = {str(options.outputs.targets.get(name)): sha for name, sha in options.inputs}

    def may_replace(place: Path) -> bool:
        found = digest_of(place)
        known = (hashes.get(str(place)), workspace.ledger.output(str(place.absolute())))
        return found is None or found in known

    def note(place: Path) -> None:
        digest = digest_of(place) or ""
        others = former if place in options.wanted() else ()
        for name in {place.absolute(), *others}:
            workspace.ledger.add_output(run, str(name), digest, now)

    write_copies_of(
        kept,
        outcomes,
        options.outputs,
        options.asked,
        spares=partial(workspace.spares, run),
        may_replace=may_replace,
        on_written=note,
    )
