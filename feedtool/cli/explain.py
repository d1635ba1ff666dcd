"""`feedtool explain`."""

import click


@click.command()
@click.argument("code", required=False)
def explain(code: str | None) -> None:
    """Say what the problem CODE means and how to mend it; without CODE list all of them."""
    from feedtool.report import codes

    if code:
        click.echo(codes.explain(code))
        return
    for name, known in sorted(codes.all_codes().items()):
        click.echo(f"{name:28} {known.severity.value:8} {known.page.strip().splitlines()[0]}")
