"""The help of a command: its options under headings; those of the account only when asked for."""

from typing import Any

import click

ACCOUNT = "Account"
HEADINGS = ("Options", "Sending", "Output", ACCOUNT, "Advanced")
HELP_ALL = "--help-all"


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
        shown: dict[str, list[tuple[str, str]]] = {heading: [] for heading in HEADINGS}
        for parameter in self.get_params(ctx):
            if record := parameter.get_help_record(ctx):
                shown[_heading(parameter)].append(record)
        if shown[ACCOUNT] and not ctx.meta.get(HELP_ALL):
            names = f"{len(shown[ACCOUNT])} options say how the account is reached"
            shown[ACCOUNT] = [(HELP_ALL, f"{names}; this shows them.")]
        for heading, records in shown.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


def _heading(parameter: click.Parameter) -> str:
    return str(vars(parameter).get("heading", HEADINGS[0]))


def _show_all(ctx: click.Context, parameter: click.Parameter, wanted: Any) -> None:
    del parameter
    if wanted:
        ctx.meta[HELP_ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()
