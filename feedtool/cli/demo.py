"""`feedtool demo`."""

import shutil
from pathlib import Path

import click

from feedtool.cli.endings import say
from feedtool.errors import Exit, UsageProblem

SAMPLE = "offers-upsert.xlsx"


@click.command()
@click.argument("folder", default="feedtool-demo", type=click.Path(path_type=Path, file_okay=False))
def demo(folder: Path) -> int:
    """See the main job with nothing to set up.

    Puts a sample workbook into FOLDER (default feedtool-demo here), checks it, sends it to the
    embedded sandbox and writes the annotated copy. Some rows are refused, so that there is
    something to see. Edit the workbook and run it again.
    """
    from feedtool import run
    from feedtool.check import Asked, Input
    from feedtool.cli.books import passing_books
    from feedtool.cli.connect import to_sandbox
    from feedtool.cli.files import beside
    from feedtool.cli.telling import tell_outcomes
    from feedtool.copies import Outputs

    sample = _put(folder)
    target = beside(sample)
    say("demo", f"feedtool submit {sample} --sandbox")
    with to_sandbox(None, {"language": "en"}) as service, passing_books() as books:
        submission = run.submit(
            [Input(str(sample), sample)],
            Asked(),
            Outputs({str(sample): target}),
            service,
            books,
        )
        if submission.stopped:
            raise submission.stopped
        code = tell_outcomes(submission.outcomes, "text", None, is_verbose=False)
    if code not in {Exit.OK, Exit.ROWS}:
        return code
    say("look", f"open {target}: the answer stands in the last three columns")
    return Exit.OK


def _put(folder: Path) -> Path:
    """The sample in the folder; one that is there already is the user's, and kept."""
    from feedtool.bundle import bundled

    sample = folder / SAMPLE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not sample.exists():
            shutil.copyfile(bundled(f"samples/{SAMPLE}"), sample)
    except OSError as error:
        raise UsageProblem(
            f"the sample cannot be put into {folder}: {error.strerror}", "name another folder"
        ) from error
    return sample
