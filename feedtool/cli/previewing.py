"""`submit --dry-run --preview` and `--live`."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from feedtool.model.errors import UsageProblem
from feedtool.model.text import tr

if TYPE_CHECKING:
    from feedtool.areas.offers.changes.effects import OpenAccepted
    from feedtool.check import ReadOptions
    from feedtool.runs.preview import Preview

ENDINGS = (".xlsx", ".csv")


def check_preview(given: Mapping[str, Any]) -> None:
    """UsageProblem where a preview cannot be made, or written, as the options ask for it."""
    from feedtool.cli.files import refuse_ending, refuse_target

    for name in ("preview", "live"):
        if given[name] and not given["dry_run"]:
            raise UsageProblem(
                tr("--{option} is about --dry-run, which is not there", option=name),
                tr("add --dry-run"),
            )
    if target := given["preview"]:
        refuse_ending(target, ENDINGS)
        refuse_target(target, may_replace=given["yes"], option="preview")


@contextmanager
def asking_live(
    given: Mapping[str, Any], reading: "ReadOptions", open_accepted: "OpenAccepted"
) -> "Iterator[OpenAccepted]":
    """Opens what is known of offers: with `--live` the service itself."""
    if not given["live"]:
        yield open_accepted
        return
    from feedtool.areas.offers.changes.live import LiveOffers
    from feedtool.cli.account import connect
    from feedtool.cli.errors import stopping
    from feedtool.cli.home import home_folder
    from feedtool.runs.workspace import fetch_context_of

    home = home_folder(given["home"])
    with (
        stopping() as stop,
        connect(home, given, stop, tr("there is no account to ask")) as session,
    ):
        context = fetch_context_of(session)
        yield lambda: LiveOffers(session.client, context, reading.dialect)


@contextmanager
def previewing(
    given: Mapping[str, Any], open_accepted: "OpenAccepted"
) -> "Iterator[Preview | None]":
    """The preview of a dry run; None where nobody looks at it."""
    if not given["preview"] and given["form"] != "json":
        yield None
        return
    from feedtool.runs.preview import preview_of  # slow to import

    with preview_of(open_accepted) as preview:
        yield preview
