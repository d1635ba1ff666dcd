"""`feedtool explain`."""

import click


@click.command()
@click.argument("code", required=False)
def explain(code: str | None) -> None:
    """Say what CODE means and how to mend it; without CODE list all problem codes and statuses.

    CODE is a problem code (gtin-checksum), a status (Rejected), a package's state, or a code of the
    service (2403, ER400-7480).
    """
    from feedtool.report import codes
    from feedtool.report.glossary import WORDS

    if code:
        from feedtool.areas.products.sandbox import messages
        from feedtool.sandbox.texts import texts

        # What the service calls them is not known: these are the words of the embedded sandbox.
        spoken = texts(messages.__name__, "en-US").items()
        click.echo(codes.explain(code, {name: text.replace("{}", "…") for name, text in spoken}))
        return
    for name, known in sorted(codes.all_codes().items()):
        click.echo(f"{name:28} {known.severity.value:8} {known.page.strip().splitlines()[0]}")
    for name, word in WORDS.items():
        click.echo(f"{name:28} {word.kind.split()[0]:8} {word.page.splitlines()[0]}")
