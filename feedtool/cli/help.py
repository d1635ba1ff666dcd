"""The help of a command: its options under headings; those of the account only when asked for."""

from collections.abc import Mapping
from typing import Any

import click

OPTIONS, ACCOUNT = "Options", "Account"
HELP_ALL = "--help-all"

HEADINGS: Mapping[str, str] = {
    "Sending": "dry_run sandbox requests all_or_nothing purge_and_replace expect_removals no_wait"
    " save_plan plan changed_only prefer_update release live",
    "Output": "annotate out in_place plain no_failed form report verbose preview language",
    ACCOUNT: "base_url insecure_http seller token token_file token_command token_url client_id"
    " client_secret client_secret_file client_secret_command token_scope token_audience"
    " connect_timeout answer_timeout call_timeout",
    "Advanced": "config hook webhook notify_wait log home ledger yes json_schema help_all help",
}
"""Heading → the options under it; what is under none is a command's own."""

_HEADING_OF = {name: heading for heading, names in HEADINGS.items() for name in names.split()}


class HelpfulCommand(click.Command):
    """A command whose `--help` has its options under headings."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Its own, and `--help-all` where `--help` leaves something out."""
        own = super().get_params(ctx)
        if not any(_heading(parameter) == ACCOUNT for parameter in own):
            return own
        text = "Show this message with the options of the account, too."
        every = click.Option(
            [HELP_ALL],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_all,
            help=text,
        )
        return [*own, every]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the options, by headings, in the order of their declaration."""
        shown: dict[str, list[tuple[str, str]]] = {heading: [] for heading in (OPTIONS, *HEADINGS)}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record and isinstance(parameter, click.Option):
                shown[_heading(parameter)].append(record)
        if shown[ACCOUNT] and not ctx.meta.get(HELP_ALL):
            names = f"{len(shown[ACCOUNT])} options say how the account is reached"
            shown[ACCOUNT] = [(HELP_ALL, f"{names}; this shows them.")]
        for heading, records in shown.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


def _heading(parameter: click.Parameter) -> str:
    return _HEADING_OF.get(parameter.name or "", OPTIONS)


def _show_all(ctx: click.Context, parameter: click.Parameter, wanted: Any) -> None:
    del parameter
    if wanted:
        ctx.meta[HELP_ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()
