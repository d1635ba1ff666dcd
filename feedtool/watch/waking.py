"""What ends a pause between two looks early: something has happened in the inbox.

Only a hint, and none that anybody waits for: a network share sends none, a system has so many to
give and no more. The next look comes all the same.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

STEP_MS, LONGEST_MS = 100, 500
"""Changes that follow each other within a step are one hint, for so long at most."""

Sleep = Callable[[float], None]


class _Ended(NamedTuple):
    """As the library asks whether to end; also by the wish to stop, which ends a pause too."""

    is_set: Callable[[], bool]


@contextmanager
def hints(inbox: Path, sleep: Sleep, stopping: Callable[[], object]) -> Iterator[Sleep]:
    """A pause that ends when the inbox changes; where no change is ever told, it is `sleep`.

    Args:
        inbox: With all that is in it.
        sleep: A pause that the wish to stop ends.
        stopping: Something, once there is that wish.
    """
    woken, is_over = threading.Event(), threading.Event()

    def listen() -> None:
        try:
            # Late: a watcher goes without it where it cannot be installed.
            from watchfiles import watch

            is_first = True
            for changes in watch(
                inbox,
                watch_filter=None,
                debounce=LONGEST_MS,
                step=STEP_MS,
                stop_event=_Ended(lambda: is_over.is_set() or bool(stopping())),
                raise_interrupt=False,
                force_polling=False,  # to look is the watcher's own business
                yield_on_timeout=True,
            ):
                # What came before it was listening is never told: one more look finds it.
                if changes or is_first:
                    woken.set()
                is_first = False
        except Exception:  # noqa: BLE001, S110  # whatever it is that keeps them away
            pass
        finally:
            woken.set()

    def pause(seconds: float) -> None:
        if listener.is_alive():
            woken.wait(seconds)
            woken.clear()
        else:
            sleep(seconds)

    listener = threading.Thread(target=listen, name="hints", daemon=True)
    listener.start()
    try:
        yield pause
    finally:
        is_over.set()
