"""`feedtool explain`."""

import click


@click.command()
@click.argument("code", required=False)
def explain(code: str | None) -> None:
    """Say what CODE means and how to mend it; without CODE list all problem codes and statuses.

    CODE is a problem code (gtin-checksum), a status (Rejected), a package's state, or a code of the
    service (2403, ER400-7480).
    """
    from feedtool.report.glossary import WORDS
    from feedtool.runs.codes import all_codes, explain_code

    codes = all_codes()
    if code:
        click.echo(explain_code(code))
        return
    for name, page in codes.pages.items():
        click.echo(f"{name:28} {page.severity.value:8} {codes.summary_of(name)}")
    for name, word in WORDS.items():
        click.echo(f"{name:28} {word.kind.split()[0]:8} {word.page.splitlines()[0]}")
