"""`feedtool completion`."""

from typing import Annotated

import click
from click.shell_completion import get_completion_class
from msgspec import Struct

from feedtool.cli import feedtool
from feedtool.cli.console import COMPLETION
from feedtool.cli.options import Showing
from feedtool.cli.typed import command_of

SHELLS = ("bash", "zsh", "fish", "powershell")


class CompletionOptions(Struct, frozen=True, kw_only=True):
    shell: Annotated[str, click.Argument(["shell"], type=click.Choice(SHELLS))]
    showing: Showing


@command_of(CompletionOptions)
def completion(_: click.Context, options: CompletionOptions) -> None:
    """Print the script with which a shell completes feedtool's commands on Tab.

    Commands, options, kinds, codes, runs, profiles and categories are completed. Install it once:

    bash, in ~/.bashrc: eval "$(feedtool completion bash)"

    zsh, in ~/.zshrc, after compinit: eval "$(feedtool completion zsh)"

    fish: feedtool completion fish > ~/.config/fish/completions/feedtool.fish

    PowerShell, in $PROFILE: feedtool completion powershell | Out-String | Invoke-Expression
    """
    script = get_completion_class(options.shell)
    if script is None:
        raise ValueError(options.shell)
    click.echo(script(feedtool, {}, "feedtool", COMPLETION).source())
