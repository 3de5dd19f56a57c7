"""Copies of the project, in which modules are changed and tests run: the project itself is never touched."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path

from clusterdiff import _core
from tests.mutants.mutations import Mutation

TOP = Path(__file__).resolve().parents[2]
#: What a copy goes without.
LEFT_OUT = shutil.ignore_patterns(".*", "build", "dist", "__pycache__")

#: So many times its seconds may pass before a process that does nothing is taken to hang.
SLEEPS = 30


class Copy:
    """A copy of the project with an interpreter of its own, which imports the package from there.

    An editable install would shadow the copy, so the interpreter borrows the packages of this one and nothing else.
    """

    def __init__(self, folder: Path, source: Path = TOP) -> None:
        self.tree, self.python = folder / "tree", folder / "env" / "bin" / "python"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(source, self.tree, ignore=LEFT_OUT)
        self.package = self.tree / "src" / "clusterdiff"
        shutil.copy2(_core.__file__, self.package)
        venv.create(folder / "env", with_pip=False)
        (site,) = (folder / "env" / "lib").glob("python*/site-packages")
        others = [entry for entry in sys.path if "site-packages" in entry]
        (site / "borrowed.pth").write_text("\n".join([str(self.tree / "src"), *others]) + "\n")
        self._written = 0
        self._process: subprocess.Popen[bytes] | None = None

    def run(
        self, tests: Sequence[str], *options: str, limit: int | None = None, **variables: str
    ) -> int | None:
        """Pytest's exit status; None if it took too long. Whatever it started is ended with it.

        ``limit`` is in seconds of the processor, so that a machine which has other things to do is waited for.
        """
        (self.tree / "tests.txt").write_text("\n".join(tests))
        limited = ["sh", "-c", f'ulimit -t {limit or "unlimited"}; exec "$@"', "sh"]
        process = self._process = subprocess.Popen(
            [*limited, self.python, "-m", "pytest", "-p", "no:cacheprovider", *options, "@tests.txt"],
            cwd=self.tree,
            env=os.environ | variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            process_group=0,
        )
        try:
            status = process.wait(limit and limit * SLEEPS)
            return None if status in (-signal.SIGXCPU, -signal.SIGKILL) else status
        except subprocess.TimeoutExpired:
            return None
        finally:
            self.stop()
            process.wait()

    def stop(self) -> None:
        """End what is running, with whatever it has started."""
        process = self._process
        if process is not None and process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)

    def killed(self, module: str, mutation: Mutation, tests: Sequence[str], limit: int) -> int | None:
        """What pytest says of a module with a mutation: 0 if the tests do not see it."""
        path = self.package / module
        text, times = path.read_text(encoding="utf-8"), path.stat()
        self._written += 1
        try:
            path.write_text(mutation.applied(text), encoding="utf-8")
            # Compiled modules are told apart by size and second: no two versions may have the same.
            os.utime(path, (self._written, self._written))
            return self.run(tests, "-x", limit=limit)
        finally:
            path.write_text(text, encoding="utf-8")
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
