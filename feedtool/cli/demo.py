"""`feedtool demo`."""

import shutil
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from shlex import quote

import click

from feedtool.cli import options
from feedtool.cli.errors import echo
from feedtool.cli.home import home_folder, open_workspace
from feedtool.model.errors import Exit, UsageProblem
from feedtool.model.nouns import Status

SAMPLE = "offers-upsert.xlsx"


@click.command()
@click.argument("folder", default="feedtool-demo", type=click.Path(path_type=Path, file_okay=False))
@options.home
@click.pass_context
def demo(ctx: click.Context, /, folder: Path, home: Path | None) -> int:
    """See the main job with nothing to set up.

    Puts a sample workbook into FOLDER (default feedtool-demo here), checks it, sends it to the
    embedded sandbox and writes the annotated copy. Some rows are refused, so that there is
    something to see. Edit the workbook and run it again. `feedtool runs` lists its runs, as those
    of any account.
    """
    from feedtool.check import Input, ReadOptions
    from feedtool.cli.connect import to_sandbox
    from feedtool.cli.files import beside
    from feedtool.cli.output import echo_results
    from feedtool.runs.annotated_copy import Outputs
    from feedtool.runs.submit import submit

    sample = _put(folder)
    target = beside(sample)
    echo("demo", f"feedtool submit {sample} --sandbox")
    state = home_folder(home)
    with (
        to_sandbox(state, {"language": "en"}) as session,
        open_workspace(state, None) as workspace,
    ):
        submission = submit(
            [Input(str(sample), sample)],
            ReadOptions(),
            Outputs({str(sample): target}),
            replace(session, is_sandbox=True),
            workspace,
        )
        if submission.stopped:
            raise submission.stopped
        code = echo_results(submission.outcomes, "text", None, is_verbose=False)
    if code not in {Exit.OK, Exit.ROWS}:
        return code
    echo("look", f"open {target}: the answer stands in the last three columns")
    typed = options.on_command_line(ctx, "home")["home"]
    where = f" --home {quote(str(typed))}" if typed else ""
    (result,) = submission.outcomes  # its run is in the ledger as any other is
    if result.run and result.counts().by_status.get(Status.REJECTED):
        echo("next", f"feedtool results {result.run} --failed-only{where}: the rows to correct")
    echo("next", f"feedtool runs{where}: this run, and all others")
    return Exit.OK


def _put(folder: Path) -> Path:
    """The sample in the folder; one that is there already is the user's, and kept."""
    sample = folder / SAMPLE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not sample.exists():
            shutil.copyfile(_bundled(), sample)
    except OSError as error:
        raise UsageProblem(
            f"the sample cannot be put into {folder}: {error.strerror}", "name another folder"
        ) from error
    return sample


def _bundled() -> Path:
    """The sample that comes with feedtool.

    A wheel carries it inside the package, a checkout (and so an editable install) beside it.
    """
    package = Path(str(files("feedtool")))
    inside = package / "bundled" / "samples" / SAMPLE
    return inside if inside.exists() else package.parent / "samples" / SAMPLE
