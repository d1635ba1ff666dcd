"""Parts of feedtool that are imported anew, and streams that fail, in processes of `tests.forked`.

What others have made is there already: to import it takes far longer than our own part.
"""

import os
import sys
from collections.abc import Sequence
from importlib import import_module


def forget(packages: Sequence[str]) -> None:
    """Let the next import of these packages, or of a part of them, run them anew."""
    for name in [*sys.modules]:
        if name.partition(".")[0] in packages:
            del sys.modules[name]


def import_each(before: Sequence[str], modules: Sequence[str]) -> int:
    """Import each module in a process of its own, after some others; print those that fail."""
    forget(["feedtool"])
    for module in before:
        import_module(module)
    for module in modules:
        child = os.fork()
        if not child:
            import_module(module)
            os._exit(0)
        if os.waitpid(child, 0)[1]:
            sys.stdout.write(f"{module}\n")
    return 0


def told_imports(words: Sequence[str], packages: Sequence[str], modules: Sequence[str]) -> int:
    """Run a command; print which of these modules it has imported, of feedtool or the packages."""
    forget(["feedtool", *packages])
    code: int = import_module("feedtool.cli").run(words)
    sys.stdout.write(" ".join(module for module in modules if module in sys.modules))
    return code


def run_without(missing: Sequence[str], commands: Sequence[str], others: int) -> int:
    """Run commands where a library is missing, each library in a process of its own.

    All commands are run without the first, the first `others` of them without each other one. What
    each command complains of ends with an empty line, and a library's output with a line `end`.
    """
    forget(["feedtool", *missing])
    for module in ("feedtool.cli.worker", "feedtool.cli.watch"):
        import_module(module)
    import_module("feedtool.areas.registry").load()
    run = import_module("feedtool.cli").run
    for number, library in enumerate(missing):
        child = os.fork()
        if not child:
            vars(sys)["modules"][library] = None  # so it is not found
            for command in commands[: others if number else None]:
                for text, stream in ((run(command.split()), sys.stdout), ("", sys.stderr)):
                    print(text, file=stream, flush=True)
            os._exit(0)
        os.waitpid(child, 0)
        for stream in (sys.stdout, sys.stderr):
            print("end", file=stream, flush=True)
    return 0


def opened(path: str) -> int:
    """A descriptor to write to a file; to a pipe that nobody reads for an empty path."""
    if path:
        return os.open(path, os.O_WRONLY)
    reading, writing = os.pipe()
    os.close(reading)
    return writing


def run_printing(words: Sequence[str], path: str) -> int:
    """Run a command that prints to a file, or to nobody."""
    os.dup2(opened(path), 1)
    code: int = import_module("feedtool.cli").run(words)
    return code
