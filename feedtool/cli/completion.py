"""`feedtool completion`."""

import click

from feedtool.cli import feedtool, options
from feedtool.cli.help import HelpfulCommand

SHELLS = ("bash", "zsh", "fish", "powershell")


@click.command(cls=HelpfulCommand)
@click.argument("shell", type=click.Choice(SHELLS))
@options.showing_alone
def completion(shell: str) -> None:
    """Print the script with which a shell completes feedtool's commands on Tab.

    Commands, options, kinds, codes, runs, profiles and categories are completed. Install it once:

    bash, in ~/.bashrc: eval "$(feedtool completion bash)"

    zsh, in ~/.zshrc, after compinit: eval "$(feedtool completion zsh)"

    fish: feedtool completion fish > ~/.config/fish/completions/feedtool.fish

    PowerShell, in $PROFILE: feedtool completion powershell | Out-String | Invoke-Expression
    """
    from click.shell_completion import get_completion_class

    from feedtool.cli.errors import COMPLETION

    script = get_completion_class(shell)
    if script is None:
        raise ValueError(shell)
    click.echo(script(feedtool, {}, "feedtool", COMPLETION).source())
