"""Starts the command `clusterdiff`, and ends it at once if it is stopped.

It stands beside the package, since importing anything of that imports most of it: half a second in which Ctrl-C would
show a traceback. For the same reason it imports nothing that has to be read from a file.
"""

import _signal  # type: ignore[import-not-found]  # what the module signal is made of
import atexit
import os
import sys

#: What shells expect of a command that was stopped by SIGINT, SIGTERM or SIGHUP.
STOPPED = (128 + _signal.SIGINT, 128 + _signal.SIGTERM, 129)


def _leave(*_: object) -> None:
    """Nothing was begun, or all is done: there is nothing to clear up but what is left for the end anyway."""
    atexit._run_exitfuncs()
    try:
        os.write(2, b"interrupted\n")
    finally:  # nobody may listen
        os._exit(STOPPED[0])


if (
    _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler
):  # whoever started us may have us ignore it
    _signal.signal(_signal.SIGINT, _leave)


def main() -> None:
    """Run the command line."""
    from clusterdiff.cli import main as command

    try:
        command()
    except SystemExit as ending:
        if isinstance(ending.code, int) and ending.code in STOPPED:
            # Python would take all that it holds apart, which takes as long as it took to make it.
            atexit._run_exitfuncs()
            os._exit(ending.code)
        raise
    sys.exit(0)
