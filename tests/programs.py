"""The programs of the system that tests need, each of which Debian has as a package of its name."""

import os
import shutil
import subprocess

NAMES = {
    # Without the parts for a screen it takes a third of the time.
    "chromium-headless-shell": (
        "chromium-headless-shell",
        *("chromium", "chromium-browser", "google-chrome", "chrome"),
    ),
    "pgbouncer": ("/usr/sbin/pgbouncer", "pgbouncer"),
}
"""What each may be called."""


def program(package: str) -> str | None:
    """The path of a program; None where it is not installed."""
    return next(filter(None, map(shutil.which, NAMES[package])), None)


def missing(package: str) -> str:
    """What to say where it is not there: a test that needs it fails, so that green says much."""
    return f"no {package}: `apt install {package}`, or put one on the PATH"


def install() -> None:
    """Installs what is not there, where Debian's tools can; `tests/run.py` asks for it."""
    absent = [package for package, (first, *_) in NAMES.items() if shutil.which(first) is None]
    apt = shutil.which("apt-get")
    if absent and apt and os.geteuid() == 0:
        packages = ("install", "-y", "-qq", "--no-install-recommends", *absent)
        environment = {**os.environ, "RUNLEVEL": "1"}  # no service is started
        for words in (("update", "-qq"), packages):
            subprocess.run(  # noqa: S603  # its own words
                [apt, *words], check=False, stdout=subprocess.DEVNULL, env=environment
            )


if __name__ == "__main__":
    install()
