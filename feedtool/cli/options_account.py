"""Options that say which account is meant, what is sent to it, and who hears of a run."""

import click

from feedtool.cli import completers, options

sandbox = options.flag("--sandbox", "Use the embedded sandbox, on this machine, for practice.")
base_url = options.text("--base-url", "URL", "The service's address, version segment included.")
seller = options.text("--seller", "ID", "The SellerId of the account.")
token_file = options.path("--token-file", "FILE", "A file that holds the token.")
token_command = options.text("--token-command", "COMMAND", "A command that prints the token.")

connection = options.group(
    base_url,
    # Not `option`: no variable of the environment decides it.
    click.option(
        options.INSECURE_OPTION,
        is_flag=True,
        help="Let the token travel unencrypted, to an address that begins with http://.",
    ),
    seller,
    options.text("--token", "TOKEN", "The bearer token; better in the environment."),
    token_file,
    token_command,
    options.text(
        "--token-url",
        "URL",
        "An OAuth2 token endpoint, which gives the token for client credentials.",
    ),
    options.text("--client-id", "ID", "The client's identifier, for client credentials."),
    options.text("--client-secret", "SECRET", "The client's secret; better in the environment."),
    options.path("--client-secret-file", "FILE", "A file that holds the client secret."),
    options.text("--client-secret-command", "COMMAND", "A command that prints the client secret."),
    options.text("--token-scope", "SCOPE", "The scope that the token endpoint is asked for."),
    options.text("--token-audience", "NAME", "The audience that the token is for."),
    options.seconds("--connect-timeout", 10, "The longest wait for a connection."),
    options.seconds("--answer-timeout", 60, "The longest silence of the service."),
    options.seconds(
        "--call-timeout", 300, "The longest time for a call, even if data still comes in."
    ),
)

notifying = options.group(
    options.text(
        "--hook", "COMMAND", "A command that gets the summary of a run, as JSON on its stdin."
    ),
    options.text("--webhook", "URL", "An address to which the summary is posted."),
    options.seconds(
        "--notify-wait", 30, "The longest wait for --hook and --webhook, once all else is done."
    ),
    options.path(
        "--log", "FILE", "Add what is done to this file, a JSON object a line.", may_be="file"
    ),
)
"""Targets of the summary of a run."""

selection = options.group(
    options.option(
        "--changed-only/--all-rows",
        help="Leave out rows that change nothing of what the service last accepted, as far as is "
        "known here.  [default: --all-rows]",
    ),
    options.flag(
        "--prefer-update",
        "With --changed-only: send an Upsert that changes only price or stock as an Update of "
        "just that.",
    ),
)
"""Which rows are sent; a profile may say so."""

release = options.group(
    options.text(
        "--release",
        "CODE[,CODE]",
        "Send what the guards of these codes would hold.",
        default="",
        shell_complete=completers.guards,
    ),
    options.text("--reason", "TEXT", "With --release: why it is meant; kept with the run."),
)
