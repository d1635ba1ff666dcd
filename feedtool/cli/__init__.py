"""The commands. Each group of them is a file, imported when one of its commands runs."""

import sys
from collections.abc import Iterator, Sequence
from importlib import import_module

import click

from feedtool import __version__
from feedtool.cli import console
from feedtool.cli.help import HelpfulGroup
from feedtool.model.text import tr

COMMANDS = {
    "demo": ("sandbox", "See the main job with nothing to set up."),
    "init": ("init", "Answer four questions; they become feedtool.toml."),
    "account": ("account_check", "Say whether your account can be reached."),
    "validate": ("validate", "Say everything that is wrong; send nothing."),
    "map": ("map", "Say once what the columns of your own sheet are."),
    "submit": ("submit", "Check, send, and write the service's answer beside every row."),
    "watch": ("watch", "Send each file that is dropped into a folder, and answer it there."),
    "enqueue": ("worker", "Put files into the queue of the workers, from any machine."),
    "worker": ("worker", "Send the files in the queue, for the sellers of all profiles."),
    "queue": ("worker", "List the files in the queue; drop, hold, release or hurry them."),
    "page": ("page", "Check, send and follow files in the browser."),
    "todo": ("todo", "Say what waits for you, and the command to go on with each."),
    "resume": ("runs", "Go on with a run that was interrupted."),
    "runs": ("runs", "List all runs."),
    "status": ("runs", "Show one run: its packages, deadlines and counts."),
    "results": ("runs", "Fetch the answers that are still missing, and write them again."),
    "sellers": ("sellers", "Show all sellers at a glance."),
    "forget": ("sandbox", "Remove old runs, and all that hangs on them."),
    "ledger": ("ledger", "See whether the ledger is whole, or copy it while others work."),
    "diff": ("diff", "Show what differs between two sheets, or a sheet and an earlier run."),
    "undo": ("undo", "Make a plan that takes a run back."),
    "template": ("template", "Make an empty workbook to fill."),
    "export": ("export", "Export what the service has into a file, to edit and send back."),
    "convert": ("convert", "Turn a file into another: Excel, CSV, Offers.xml, its zip, JSON."),
    "catalog": ("catalog", "Download brands, categories and their properties, and search them."),
    "explain": ("config", "Say what a code or a status means, and how to fix it."),
    "completion": ("completion", "Print the script that completes commands on Tab."),
    "sandbox": ("sandbox", "Serve the embedded sandbox on this machine."),
    "config": ("config", "Show the settings that differ from the default, and where from."),
}
"""Name → its module here, and its line in `feedtool --help`, known without importing it."""

HEADINGS = {
    "Every day": "demo template validate map submit page todo runs status results resume diff undo"
    " explain help",
    "From the service": "export catalog",
    "Folders and programs": "watch convert",
    "Many machines": "enqueue worker queue sellers",
    "Set up": "init account config sandbox completion ledger forget",
}
"""Heading → the commands under it in `feedtool --help`."""

HELP = "help", "Show the help of a command, as in `feedtool help submit`."
"""Listed with the commands; `help COMMAND` is read as `COMMAND --help`."""


class Commands(HelpfulGroup):
    """A group whose commands are imported when they are called."""

    headings = HEADINGS

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx  # in the order in which a newcomer meets them
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"{__name__}.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, f"{cmd_name}_" if cmd_name == "map" else cmd_name)
        return command

    def every(self) -> Iterator[click.Command]:
        """Import and return all commands, also those of groups."""
        for word in COMMANDS:
            command = self.get_command(click.Context(self), word)
            if isinstance(command, click.Group):
                ctx, group = click.Context(command), command
                names = group.list_commands(ctx)
                yield from filter(None, (group.get_command(ctx, name) for name in names))
            elif command:
                yield command

    def summaries(self, ctx: click.Context) -> Iterator[tuple[str, str]]:
        del ctx  # taken from the table, so that no command is imported
        yield from ((name, text) for name, (_, text) in COMMANDS.items())
        yield HELP

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Show the help where no argument is given; read `help X` as `X --help`."""
        args = console.language_passed_on(args)
        if args[:1] == ["help"]:
            args = [*(word for word in args if word != "help"), "--help"]
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), color=ctx.color)
            ctx.exit()
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name the nearest command when one is mistyped."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], [*COMMANDS, HELP[0]], n=1)
            hint = tr("See `feedtool --help`.")
            if near:
                hint = tr("Did you mean {choice}?", choice=near[0])
            ctx.fail(tr("there is no command “{name}”. {hint}", name=args[0], hint=hint))
        return super().resolve_command(ctx, args)


@click.group(
    cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="feedtool")
def feedtool() -> None:
    """Spreadsheets in, validated marketplace offers out, the answer back beside every row.

    Data goes to stdout, everything else to stderr. `feedtool help COMMAND` tells more.
    """


def run(arguments: Sequence[str] | None = None, clock: console.Clock | None = None) -> int:
    """Run a command and return its exit code; no traceback is ever shown.

    The clock defaults to the machine's.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    return console.run(feedtool, words, clock or console.SYSTEM)
