"""The help of a command: its options under headings, the rare ones only with `--help-all`.

It is shown in the user's language: its texts are messages, see `tests/messages.py`.
"""

from collections.abc import Iterator, Mapping
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

import click

from feedtool.cli.console import CONSOLE, language_passed_on, settle
from feedtool.model.text import plural, tr

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

OPTIONS, ACCOUNT, COMMANDS = "Options", "Account", "Commands"
HELP_ALL = "--help-all"

HEADINGS: Mapping[str, str] = {
    "Sending": "dry_run sandbox rows all_or_nothing changed_only release",
    "Output": "annotate out form verbose preview language",
    ACCOUNT: "base_url insecure_http seller token token_file token_command token_url client_id"
    " client_secret client_secret_file client_secret_command token_scope token_audience"
    " connect_timeout answer_timeout call_timeout",
    "Advanced": "profiles default as_row requests no_wait plan save_plan live prefer_update reason"
    " purge_and_replace expect_removals in_place plain no_failed report quiet config hook webhook"
    " notify_wait log home ledger store yes json_schema",
}
"""Heading → the options under it; other options are under `Options`."""

ON_DEMAND = (ACCOUNT, "Advanced")
"""The headings that only `--help-all` shows."""

_HEADING_OF = {name: heading for heading, names in HEADINGS.items() for name in names.split()}


class HelpfulCommand(click.Command):
    """A command whose `--help` has its options under headings.

    It is in the language of the arguments, the environment or feedtool.toml.
    """

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The command's parameters and `--help-all`."""
        help_all = click.Option(
            [HELP_ALL],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_all,
            help="Show this message with all options.",
        )
        return [*super().get_params(ctx), help_all]

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        settle(CONSOLE.arguments)  # the language is known only here
        super().format_help(ctx, formatter)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the line of usage; its words in capitals are not translated."""
        pieces = " ".join(self.collect_usage_pieces(ctx))
        usage = CONSOLE.say.label(tr("Usage"))  # older tools find no message within an f-string
        formatter.write_usage(ctx.command_path, pieces, f"{usage} ")

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text("\n\n".join(map(_say, paragraphs(self))))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under headings, in the order of their declaration."""
        shown: dict[str, list[tuple[str, str]]] = {heading: [] for heading in (OPTIONS, *HEADINGS)}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if HELP_ALL in parameter.opts:  # added below if it shows more
                continue
            if record and isinstance(parameter, click.Option):
                heading = _HEADING_OF.get(parameter.name or "", OPTIONS)
                shown[heading].append((record[0], _meaning(parameter, ctx)))
        hidden = () if ctx.meta.get(HELP_ALL) else ON_DEMAND
        if count := sum(len(shown.pop(heading)) for heading in hidden):
            text = plural("Show {count} more option.", "Show {count} more options.", count)
            shown[OPTIONS].append((HELP_ALL, CONSOLE.say(text)))
        for heading, records in shown.items():
            if records:
                with formatter.section(_say(heading)):
                    formatter.write_dl(records)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem[Any]]":
        return _translated(super().shell_complete(ctx, incomplete))


class HelpfulGroup(HelpfulCommand, click.Group):
    """A group of commands whose `--help` speaks the user's language."""

    headings: Mapping[str, str] = {COMMANDS: ""}
    """Heading → the commands under it; without names all."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, then the commands."""
        super().format_options(ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, each with the first paragraph of its help."""
        texts = {name: _say(text) for name, text in self.summaries(ctx)}
        width = max(map(len, texts))
        for heading, names in self.headings.items():
            listed = names.split() or texts
            with formatter.section(_say(heading)):
                formatter.write_dl([(f"{name:{width}}", texts[name]) for name in listed])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem[Any]]":
        """Complete commands, without importing them, and options."""
        from click.shell_completion import CompletionItem

        commands = [
            CompletionItem(name, help=text)
            for name, text in self.summaries(ctx)
            if name.startswith(incomplete)
        ]
        return _translated([*commands, *click.Command.shell_complete(self, ctx, incomplete)])

    def summaries(self, ctx: click.Context) -> Iterator[tuple[str, str]]:
        """Each command with the first paragraph of its help."""
        commands = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        return ((name, paragraphs(command)[0]) for name, command in commands if command)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Accept `--language` before the command, too."""
        return super().parse_args(ctx, language_passed_on(args))


def paragraphs(command: click.Command) -> list[str]:
    """The paragraphs of a command's help, each on one line: a message."""
    texts = cleandoc(command.help or "").split("\n\n")
    return [" ".join(text.split()) for text in texts]


def _say(text: str) -> str:
    """Translate a declared text, which has no values in it."""
    return CONSOLE.say.message(text)


def _translated(items: "list[CompletionItem[Any]]") -> "list[CompletionItem[Any]]":
    for item in items:
        item.help = item.help and _say(item.help)
    return items


def _meaning(option: click.Option, ctx: click.Context) -> str:
    """The help of an option, with its default and its range."""
    extra = option.get_help_extra(ctx)
    notes = []
    if "default" in extra:
        default = extra["default"]
        text = option.show_default if isinstance(option.show_default, str) else None
        shown = f"({_say(text)})" if text else default
        notes.append(CONSOLE.say(tr("default: {value}", value=shown)))
    if "range" in extra:
        notes.append(extra["range"])
    meaning = _say(option.help or "")
    return f"{meaning}  [{'; '.join(notes)}]" if notes else meaning


def _show_all(ctx: click.Context, parameter: click.Parameter, is_set: Any) -> None:
    del parameter
    if is_set and not ctx.resilient_parsing:
        ctx.meta[HELP_ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()
