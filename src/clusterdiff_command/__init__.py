"""Starts the command `clusterdiff`, and ends it at once if it is stopped.

It stands beside the package, since importing anything of that imports most of it: half a second in which Ctrl-C would
show a traceback. For the same reason it imports nothing that has to be read from a file.
"""

import _signal  # type: ignore[import-not-found]  # what the module signal is made of
import atexit
import os
import sys

#: What shells expect of a command that was stopped by SIGINT or SIGTERM.
STOPPED = (128 + _signal.SIGINT, 128 + _signal.SIGTERM)


def _leave(*_: object) -> None:
    """Nothing was begun, so there is nothing to clear up."""
    os.write(2, b"interrupted\n")
    os._exit(STOPPED[0])


_before = _signal.getsignal(_signal.SIGINT)
if _before is _signal.default_int_handler:  # whoever started us may have us ignore it
    _signal.signal(_signal.SIGINT, _leave)


def main() -> None:
    """Run the command line."""
    from clusterdiff.cli import main as command

    _signal.signal(_signal.SIGINT, _before)
    try:
        command()
    except SystemExit as ending:
        if isinstance(ending.code, int) and ending.code in STOPPED:
            # Python would take all that it holds apart, which takes as long as it took to make it.
            atexit._run_exitfuncs()
            os._exit(ending.code)
        raise
    sys.exit(0)
