"""Questions on a terminal: is a purge wanted, and of what kind is a sheet?"""

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from feedtool.cli.errors import echo
from feedtool.cli.options import on_command_line
from feedtool.model.errors import UsageProblem

if TYPE_CHECKING:
    from feedtool.areas.legacy.purge import Confirm, Purge
    from feedtool.check.kinds import KindUnclear
    from feedtool.check.read_options import Settle

PURGE = "purge_and_replace"


def is_purge(ctx: click.Context, given: Mapping[str, Any]) -> bool:
    """True if `--purge-and-replace` was typed, with all that it needs.

    Raises:
        UsageProblem: it stands in the environment or the configuration, or its options contradict
            each other.
    """
    is_typed = bool(on_command_line(ctx, PURGE)[PURGE])
    if given[PURGE] and not is_typed:
        raise UsageProblem(
            "--purge-and-replace has to be typed: it is not taken from the environment or from"
            " feedtool.toml",
            "take it out there",
        )
    if given["expect_removals"] is not None and not is_typed:
        raise UsageProblem(
            "--expect-removals is about --purge-and-replace, which is not there",
            "leave it out, or add --purge-and-replace",
        )
    return is_typed


def confirming(given: Mapping[str, Any]) -> "Confirm":
    """A question about a purge on the terminal; without one, or with --yes, the options decide."""

    def confirm(purge: "Purge") -> None:
        from feedtool.areas.legacy.purge import NOTHING_SENT, refuse

        most = given["expect_removals"]
        if most is not None and purge.removed > most:
            raise UsageProblem(
                f"more offers would be removed than the {most:,} of --expect-removals:"
                f" {purge.text}",
                f"{NOTHING_SENT}; look at what is missing in the file",
            )
        if given["yes"] and most is not None:
            return
        if given["yes"] or not _is_terminal():
            refuse(purge)
        if not click.confirm(f"A purge: {purge.text}. Send it?", err=True):
            raise UsageProblem("the purge was not confirmed", NOTHING_SENT)

    return confirm


def kind_asked(form: str) -> "Settle":
    """A question on the terminal about an unclear sheet; none for a script's format."""

    def settle(file: str, _: str | None, unclear: "KindUnclear") -> str | None:
        if form != "text" or not _is_terminal():
            return None
        echo("unclear", f"{file}: {unclear.message}")
        new, update = unclear.kinds
        answer = click.prompt(
            "New offers, or an update of existing ones?",
            type=click.Choice(["new", "update"]),
            err=True,
        )
        return new if answer == "new" else update

    return settle


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()
