"""Makes the site: `python docs/site/build.py FOLDER`. Pages are those of `docs/`, and what is generated from the code.

The pages are read on a git host, too, and stay as they are there. In the copy that is built, links out of `docs/` lead
to the repository, those to the live pages stay on the site, and every page has its place in the navigation.
"""

from __future__ import annotations

import inspect
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stdout
from doctest import DocTestParser, Example
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote, urlsplit
from warnings import catch_warnings, simplefilter

import click
from click.testing import CliRunner

import clusterdiff as cd
from clusterdiff.cli import main

DOCS = Path(__file__).resolve().parents[1]
TOP = DOCS.parent
URLS = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")
#: A link to a page to click, which the site has beside Sphinx's own.
LIVE = re.compile(rf"\[(?P<text>[^\]]*)\]\({re.escape(URLS['Documentation'])}/(?P<page>live/[^)]+)\)")
#: The navigation: captions, and the pages under them.
CONTENTS = {
    "Start": [
        "install",
        "guide",
        "tutorials/records",
        "tutorials/mentions",
        "tutorials/cells",
        "tutorials/table",
    ],
    "How to": [
        *("howto/README", "howto/good", "howto/measure", "howto/wrong", "howto/weights", "howto/warehouses"),
        *("howto/pipelines", "howto/systems", "howto/cite", "recipes"),
    ],
    "Understand": [
        *(
            "concepts",
            "explain",
            "points",
            "chance",
            "rank",
            "sweep",
            "many",
            "estimate",
            "review",
            "judgements",
        ),
        *("releases", "coreference", "scale", "spark", "report", "plots", "paper", "instances", "comparison"),
        *("performance", "security"),
    ],
    "Look up": [
        *(
            "reference",
            "classes",
            "api/index",
            "commands",
            "measures",
            "files",
            "schemas",
            "patch-format",
            "differences",
        ),
    ],
    "Decisions": ["decisions/README"],
}


def copy(source: Path) -> None:
    """The pages, with links that lead somewhere on the site."""
    shutil.copytree(DOCS, source, ignore=shutil.ignore_patterns("site", "__pycache__"))
    shutil.copy(DOCS / "site" / "conf.py", source)
    for page in source.rglob("*.md"):
        page.write_text(_linked(page.read_text("utf-8"), DOCS / page.relative_to(source)), "utf-8")


def _linked(text: str, page: Path) -> str:
    up = "../" * (len(page.relative_to(DOCS).parts) - 1)
    text = LIVE.sub(lambda match: f'<a href="{up}{match["page"]}">{match["text"]}</a>', text)
    return LINK.sub(lambda match: f"]({_led(match['target'], page)})", text)


def _led(target: str, page: Path) -> str:
    """Where a link of a page leads to on the site."""
    if re.match("https?:|#|mailto:", target):
        return target
    path = (page.parent / target.partition("#")[0]).resolve()
    return target if path.is_relative_to(DOCS) else f"{URLS['Homepage']}/blob/main/{path.relative_to(TOP)}"


def navigate(source: Path) -> None:
    """The contents, at the end of the first page; a page that is nowhere in them is under the last caption."""
    known = {name for names in CONTENTS.values() for name in names} | {"index"}
    there = {str(page.relative_to(source).with_suffix("")) for page in source.rglob("*.md")}
    rest = sorted(name for name in there - known if not name.startswith("api/"))
    trees = [
        f"```{{toctree}}\n:hidden:\n:caption: {caption}\n\n"
        + "\n".join(n for n in names if n in there)
        + "\n```\n"
        for caption, names in (CONTENTS | {"Decisions": [*CONTENTS["Decisions"], *rest]}).items()
    ]
    first = source / "index.md"
    first.write_text("\n".join([first.read_text("utf-8"), *trees]), "utf-8")


#: Roles and quotes of docstrings, where Markdown has a backtick.
MARKUP = re.compile(r":\w+:`|``")
#: What every exception has from Python itself.
OF_PYTHON = "add_note, with_traceback"
#: Headings of the reference, and which public names are under them.
GROUPS: dict[str, Callable[[str, object], bool]] = {
    "Functions": lambda name, value: inspect.isroutine(value) or inspect.ismodule(value),
    "Errors and notices": lambda name, value: inspect.isclass(value) and issubclass(value, Exception),
    "Classes": lambda name, value: not name.startswith("types."),
    "Results: `clusterdiff.types`": lambda name, value: True,
}


def example(name: str) -> str:
    """How to come by an object of a class, from the page that has an example of each; nothing of others."""
    text = (DOCS / "classes.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    start, *sections = map(DocTestParser().get_examples, blocks)
    word = re.compile(rf"\b{name}\b")
    for lines in sections:
        shown = [line for line in lines if word.search(line.source + line.want)]
        if shown:
            needed = [line for line in lines if not line.want and line not in shown]
            code = "".join(_prompted(line) for line in [*start, *needed, *shown])
            return f"\n## Example\n\n```python\n{code}```\n"
    return ""


def _prompted(line: Example) -> str:
    """An example as it is typed, with its answer."""
    first, *more = line.source.splitlines()
    return "\n".join([f">>> {first}", *(f"... {other}" for other in more)]) + f"\n{line.want}"


def has_example(value: object) -> bool:
    """Whether the docstring of a name, or of anything in it, has an example."""
    inside = vars(value).values() if inspect.isclass(value) or inspect.ismodule(value) else ()
    return any(">>>" in (inspect.getdoc(one) or "") for one in (value, *inside))


def describe_names(folder: Path) -> None:
    """A page for each public name, from its docstring, and a list of them with their first sentences."""
    folder.mkdir()
    names: dict[str, Any] = {
        name: getattr(cd, name) for name in cd.__all__ if name not in {"__version__", "types"}
    }
    names |= {f"types.{name}": getattr(cd.types, name) for name in cd.types.__all__}
    groups: dict[str, list[str]] = {heading: [] for heading in GROUPS}
    for name, value in names.items():
        if inspect.isclass(value):
            kind = "autoclass"
            options = [
                "members",
                "inherited-members: Exception, tuple, object",
                f"exclude-members: {OF_PYTHON}",
            ]
        elif inspect.ismodule(value):
            kind, options = "automodule", ["members"]
        elif inspect.isroutine(value):
            kind, options = "autofunction", []
        else:  # a registry, whose entries have pages of their own
            continue
        body = "\n".join(
            [f".. {kind}:: clusterdiff.{name}", *(f"   :{o}" if ":" in o else f"   :{o}:" for o in options)]
        )
        page = f"# {name}\n\n```{{eval-rst}}\n{body}\n```\n"
        if not has_example(value):
            page += example(name.rpartition(".")[2])
        (folder / f"clusterdiff.{name}.md").write_text(page, "utf-8")
        heading = next(heading for heading, holds in GROUPS.items() if holds(name, value))
        sentence = (inspect.getdoc(value) or "").partition("\n\n")[0].replace("\n", " ").replace("|", "\\|")
        groups[heading].append(f"| [{name}](clusterdiff.{name}.md) | {MARKUP.sub('`', sentence)} |")
    lines = [
        "# Every public name",
        "",
        "Generated from the code. The [overview](../reference.md) groups them by use.",
    ]
    for heading, rows in groups.items():
        lines += ["", f"## {heading}", "", "| name | |", "| --- | --- |", *rows]
    listed = sorted(path.stem for path in folder.glob("*.md"))
    lines += ["", "```{toctree}", ":hidden:", "", *listed, "```", ""]
    (folder / "index.md").write_text("\n".join(lines), "utf-8")


def describe_commands(path: Path) -> None:
    """Every command by its help."""
    lines = ["# Commands", "", "Generated from `--help`."]
    group = click.Context(main, info_name="clusterdiff", terminal_width=100, max_content_width=100)
    for name in main.list_commands(group):
        command = main.get_command(group, name)
        assert command is not None
        context = click.Context(
            command, info_name=name, parent=group, terminal_width=100, max_content_width=100
        )
        lines += ["", f"## {name}", "", "```text", command.get_help(context), "```"]
    path.write_text("\n".join(lines) + "\n", "utf-8")


#: Which pages the tutorials end in, and what they are called on the site.
ENDS = {
    "records": ("diff.html", "customers"),
    "mentions": ("diff.html", "mentions"),
    "cells": ("sweep.html", "cells"),
}


def live(folder: Path) -> None:
    """Pages to click: what is left behind by whoever follows the tutorials to the letter."""
    folder.mkdir(parents=True)
    for tutorial, (made, name) in ENDS.items():
        text = (DOCS / "tutorials" / f"{tutorial}.md").read_text("utf-8")
        with TemporaryDirectory() as here, chdir(here):
            follow(text)
            shutil.copy(made, folder / f"{name}.html")


def follow(text: str) -> None:
    """Run the examples of a page, in order; the tests see to what they print."""
    names: dict[str, Any] = {}
    for kind, body in re.findall(r"^```(console|python)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        if kind == "console":
            for line in re.findall(r"^\$ clusterdiff (.*)$", body, re.MULTILINE):
                done = CliRunner().invoke(main, shlex.split(line), catch_exceptions=False)
                assert done.exit_code == 0, f"clusterdiff {line}: {done.output}"
        else:
            for example in DocTestParser().get_examples(body):
                with redirect_stdout(StringIO()), catch_warnings():
                    simplefilter("ignore", cd.ClusterdiffWarning)
                    exec(example.source, names)


class Page(HTMLParser):
    """The anchors of a page, and where its links and pictures lead."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.targets: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Every element may have an anchor, and many lead somewhere."""
        for name, value in attrs:
            if name == "id":
                self.anchors.add(value or "")
            elif name in {"href", "src"}:
                self.targets.append(value or "")


def broken(site: Path) -> Iterator[str]:
    """The links within the site that lead nowhere; Sphinx checks its own, but neither HTML nor the live pages."""
    pages = {path: Page(path.read_text("utf-8")) for path in site.rglob("*.html")}
    for path, page in pages.items():
        for target in page.targets:
            link = urlsplit(target)
            if link.scheme or link.netloc:
                continue
            there = (path.parent / unquote(link.path)).resolve() if link.path else path
            anchors = pages[there].anchors if there in pages and there.parent.name != "live" else None
            if not there.exists() or (
                link.fragment and anchors is not None and unquote(link.fragment) not in anchors
            ):
                yield f"{path.relative_to(site)}: {target}"


def build(target: Path) -> int:
    """Copy, generate, have Sphinx make pages of it, and follow every link; the exit code."""
    source = target.with_name(f"{target.name}-source")
    shutil.rmtree(source, ignore_errors=True)
    copy(source)
    describe_names(source / "api")
    describe_commands(source / "commands.md")
    live(source / "extra" / "live")
    navigate(source)
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "--keep-going",
        "-b",
        "html",
        str(source),
        str(target),
    ]
    code = subprocess.run(command, check=False).returncode
    if lost := sorted(set(broken(target))):
        print("links that lead nowhere:", *lost, sep="\n  ", file=sys.stderr)
    return code or bool(lost)


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1]).resolve()))
