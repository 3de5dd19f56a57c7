"""Starts the command `clusterdiff`, and ends it at once if it is stopped.

It stands beside the package, since importing anything of that imports most of it: half a second in which Ctrl-C would
show a traceback.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
from typing import NoReturn

#: What shells expect of a command that was stopped by SIGINT or SIGTERM.
STOPPED = (128 + signal.SIGINT, 128 + signal.SIGTERM)


def main() -> NoReturn:
    """Run the command line."""
    heard = signal.getsignal(signal.SIGINT)
    if heard is signal.default_int_handler:  # whoever started us may have us ignore it
        signal.signal(signal.SIGINT, _leave)
    from clusterdiff.cli import main as command

    signal.signal(signal.SIGINT, heard)
    try:
        command()
    except SystemExit as ending:
        if ending.code in STOPPED:
            # Python would take all that it holds apart, which takes as long as it took to make it.
            atexit._run_exitfuncs()
            os._exit(ending.code)
        raise
    sys.exit(0)


def _leave(*_: object) -> None:
    """Nothing was begun, so there is nothing to clear up."""
    os.write(2, b"interrupted\n")
    os._exit(STOPPED[0])
